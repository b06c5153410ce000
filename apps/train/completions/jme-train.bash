# bash completion for jme-train. Flags come from the command's own help, so they are never out of date.

_jme_train() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word values=''
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in run | reproduce | chart) command=$word && break ;; esac
  done
  case $previous in
    --method) values='jme jme-paper pp pp-debiased joint-clip none' ;;
    --dataset) values='fashion-mnist cifar10' ;;
    --setting) values='medium high both' ;;
    --data | --out) COMPREPLY=($(compgen -d -- "$current")) && return ;;
    --checkpoint) COMPREPLY=($(compgen -f -- "$current")) && return ;;
  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(jme-train $command --help 2>/dev/null |
      sed -n '/^Example/q;s/^  \(-h,\)\{0,1\}\(--[a-z0-9-]*\(,--[a-z0-9-]*\)*\).*/\2/p' | tr ',' ' ')" -- "$current"))
  elif [[ $command == chart ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W 'run reproduce chart' -- "$current"))
  fi
}

complete -o filenames -F _jme_train jme-train
