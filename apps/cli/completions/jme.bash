# bash completion for jme. Flags come from the command's own help, so they are never out of date.

_jme_flags() {
  jme $1 --help 2>/dev/null | sed -n '/^Example/q;s/^  \(-h,\)\{0,1\}\(--[a-z0-9-]*\(,--[a-z0-9-]*\)*\).*/\2/p' | tr ',' ' '
}

_jme() {
  local commands='run bounds plan calibrate account sensitivity shape compare audit ledger serve token reproduce demo help'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $commands " in *" $word "*) command=$word && break ;; esac
  done

  local values=''
  case $previous in
    --method) values='jme lambda-jme ime cs pp pp-debiased' ;;
    --shape | --shape1 | --shape2) values='auto identity sqrt banded:16 banded-inverse:16 blt:4 scaled-blt:4 scaled-blt:4:prefix dense' ;;
    --workload | --workload1 | --workload2) values='prefix mean decay:0.99 window:100' ;;
    --adjacency) values='replace-one add-remove' ;;
    --second) values='full diagonal none' ;;
    --balance) values='free balanced' ;;
    --objective) values='rmse max' ;;
    --squares) values='per-example batch-mean paper' ;;
    --format) values='csv ndjson npy' ;;
    --on-bad-row) values='fail zero' ;;
    --records) values='lines quoted' ;;
    --compression) values='none gzip xz' ;;
    --missing) values='observed model mean centre fail' ;;
    --late) values='current drop' ;;
    --time-unit) values='s ms us minute hour day' ;;
    --delimiter) values='tab semicolon pipe' ;;
    --decimal) values='point comma' ;;
    --role) values='write read admin' ;;
    --geometry) values='auto ball ball-trace box' ;;
    --emit) values='first second mean covariance correlation precision pca: regression: density' ;;
    --output | --report | --out) COMPREPLY=($(compgen -f -- "$current")) && return ;;
    --state | --report-figures) COMPREPLY=($(compgen -d -- "$current")) && return ;;
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
