# bash completion for jme. Flags come from the command's own help, so they are never out of date.

_jme_flags() {
  jme $1 --help 2>/dev/null | sed -n '/^Example/q;s/^  \(-h,\)\{0,1\}\(--[a-z0-9-]*\(,--[a-z0-9-]*\)*\).*/\2/p' | tr ',' ' '
}

_jme() {
  # generated: commands
  local commands='run bounds plan calibrate account sensitivity shape compare audit ledger serve token reproduce demo help'
  # end
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $commands " in *" $word "*) command=$word && break ;; esac
  done

  local values=''
  case $previous in
    # generated: values
    --format) values='auto csv ndjson npy' ;;
    --compression) values='auto none gzip xz' ;;
    --records) values='lines quoted' ;;
    --delimiter) values='tab semicolon pipe' ;;
    --decimal) values='point comma' ;;
    --on-bad-row) values='fail zero' ;;
    --missing) values='observed model mean centre fail' ;;
    --time-unit) values='s ms us minute hour day' ;;
    --late) values='current drop' ;;
    --adjacency) values='replace-one add-remove' ;;
    --rows) values='unbounded' ;;
    --geometry) values='auto ball ball-trace box' ;;
    --workload | --workload1) values='prefix mean decay:0.99 window:100' ;;
    --workload2) values='prefix mean decay:0.99 window:100' ;;
    --second) values='full diagonal none' ;;
    --method) values='jme lambda-jme ime cs pp pp-debiased' ;;
    --shape | --shape1) values='auto identity sqrt banded:16 banded-inverse:16 blt:4 scaled-blt:4 scaled-blt:4:prefix dense' ;;
    --shape2) values='auto identity sqrt banded:16 banded-inverse:16 blt:4 scaled-blt:4 scaled-blt:4:prefix dense' ;;
    --balance) values='free balanced' ;;
    --objective) values='rmse max' ;;
    --emit) values='first second mean covariance correlation precision pca: regression: density' ;;
    --config | --kafka-options | --output | --report | --with) COMPREPLY=($(compgen -f -- "$current")) && return ;;
    --out | --report-figures | --state | --training) COMPREPLY=($(compgen -d -- "$current")) && return ;;
    # end
    --squares) values='per-example batch-mean paper' ;;
    --role) values='write read admin' ;;
  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(_jme_flags $command)" -- "$current"))
  elif [[ -z $command || $command == help ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  elif [[ $command == run || $command == bounds || $command == compare || $command == audit ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ $command == ledger ]]; then
    COMPREPLY=($(compgen -d -- "$current"))
  elif [[ $command == token ]]; then
    COMPREPLY=($(compgen -W 'add renew list revoke' -- "$current"))
  elif [[ $command == reproduce ]]; then
    COMPREPLY=($(compgen -W "all $(jme reproduce --list 2>/dev/null | sed 's/ .*//')" -- "$current"))
  fi
}

complete -o filenames -F _jme jme
