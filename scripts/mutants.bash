# How scripts/mutation-check makes programs with a mistake in them; sourced by it, after its list of mutations.
# A job is a folder with the source and the mistake in it, the objects that contain it, and the programs made of them and
# of the objects of build/dev. Nothing in build/dev is written, so several jobs can go on at a time.
# shellcheck shell=bash disable=SC2154

mutated() { # NAME: its file's text with the mistake in it
  local text from to rest parts i
  mapfile -t -d $'\x1f' parts < <(printf '%s' "${edits[$1]}")
  text=$(<"$source/${files[$1]}")
  for ((i = 0; i < ${#parts[@]}; i += 2)); do
    from=${parts[i]} to=${parts[i + 1]}
    rest=${text/"$from"/}
    [ "$rest" != "$text" ] || die "$1: ${files[$1]} no longer contains: $from"
    [ "${rest/"$from"/}" = "$rest" ] || die "$1: ${files[$1]} contains more than once: $from"
    text=${text/"$from"/"$to"}
  done
  printf '%s\n' "$text"
}

rooms_of() { # MUTATION...
  local name pair
  for name in "$@"; do for pair in ${tests[$name]}; do echo "${pair%%:*}"; done; done | sort -u
}

command_of() { # ROOM: the target of the command that its tests run, if they run one
  case "$1" in
    cli | crash | serve) echo jme_cli ;;
    train) echo jme_train_cli ;;
  esac
}

target_of() { # ROOM: what is built for its tests; those of Python import the extension module
  if [ "$1" = python ]; then echo jme_python; else echo "$1_tests"; fi
}

outputs_of() { # ROOM: its program and the command that it runs, as paths in the build folder
  local target
  for target in "$(target_of "$1")" $(command_of "$1"); do
    sed -n "s/^build $target: phony //p" "$build/build.ninja"
  done
}

shadowed() { # TEXT JOB: the text with the job's source in place of the tree's; the build folder is inside the tree
  local text=${1//"$build"/$'\x01'}
  text=${text//"$root"/"$2/source"}
  printf '%s' "${text//$'\x01'/"$build"}"
}

compile() { # OBJECT JOB: prints the path of the object that contains the mistake
  local object=$1 job=$2 command input result
  result=$job/objects/$(printf '%s' "$object" | tr / _)
  command=$(shadowed "$(ninja -C "$build" -t commands -s "$object")" "$job")
  command=${command//"$object"/"$result"}
  input=${command##* -c }
  case "$input" in
    "$build"/*)   # joined files: a list of includes by their full paths
      shadowed "$(<"$input")" "$job" >"$result.cxx"
      command=${command//"$input"/"$result.cxx"} ;;
  esac
  (cd "$build" && timeout "$build_limit" "${wrapper[@]}" bash -c "$command") >>"$job/log" 2>&1 || return 1
  echo "$result"
}

link() { # OUTPUT JOB [OBJECT=MUTANT...]: an executable of the build folder, with these objects in place of the others
  local output=$1 job=$2 command pair object target more=
  shift 2
  command=$(ninja -C "$build" -t commands -s "$output")
  for pair in "$@"; do
    object=${pair%%=*} target=${object#*CMakeFiles/}
    if [[ " $command " == *" $object "* ]]; then
      command=${command//" $object "/" ${pair#*=} "}
    elif [[ $command == *"lib${target%%.dir/*}.a"* ]]; then
      more+=" ${pair#*=}"   # before the archive, whose member is then not needed
    fi
  done
  command=${command/" -o $output "/"$more -o $job/${output##*/} "}
  (cd "$build" && timeout "$build_limit" "${wrapper[@]}" bash -c "$command") >>"$job/log" 2>&1
}

tree_of() { # JOB: its copy of the source, if it has a mistake of its own
  if [ -d "$1/source" ]; then echo "$1/source"; else echo "$source"; fi
}

make_package() { # JOB: the Python package of the job's source, with the extension module of build/dev
  mkdir "$1/python" && cp -r "$(tree_of "$1")/python/jme" "$1/python" && cp "$build"/python/jme/_core.*.so "$1/python/jme"
}

make_programs() { # JOB ROOMS [FILE]: the rooms' programs and commands, with what the job's FILE changes
  local job=$1 file=${3:-} rooms outputs output object target mutant links pairs=()
  if grep -qx python <<<"$2"; then make_package "$job" >>"$job/log" 2>&1 || return 1; fi
  rooms=$(grep -vx python <<<"$2" || true)
  [ -n "$rooms" ] || return 0
  outputs=$(for room in $rooms; do outputs_of "$room"; done | sort -u)
  if [ -n "$file" ]; then
    links=" $(for output in $outputs; do ninja -C "$build" -t commands -s "$output"; done) "
    while read -r object; do
      target=${object#*CMakeFiles/}
      [[ $links == *" $object "* || $links == *"lib${target%%.dir/*}.a"* ]] || continue   # of another program
      mutant=$(compile "$object" "$job") || return 1
      pairs+=("$object=$mutant")
    done < <(awk -v file="$root/$file" '/^[^ ]/ {object = substr($1, 1, length($1) - 1)} $1 == file {print object}' "$work/deps")
    [ ${#pairs[@]} -gt 0 ] || { echo "no object of these programs depends on $file" >>"$job/log"; return 1; }
  fi
  for output in $outputs; do link "$output" "$job" "${pairs[@]}" || return 1; done
}

python_verdict() { # JOB FILE.TEST: by the interpreter that has what the file imports
  local job=$1 tree file=${2%%.*} test=${2#*.} interpreter=$root/build/venv/bin/python status=0
  tree=$(tree_of "$job")
  [[ $file != test_torch* ]] || interpreter=/usr/bin/python3
  (cd "$tree" && JME_PYTHON_DIR=$job/python timeout "$test_limit" "$interpreter" -B -m pytest \
    "python/tests/$file.py::$test") >"$job/$2.log" 2>&1 || status=$?
  case $status in
    0) if grep -q ' passed\|^\.' "$job/$2.log"; then echo passes; else echo skips; fi ;;
    1) echo fails ;;
    4 | 5) echo missing ;;
    124) echo hangs ;;
    *) echo "cannot be run" ;;
  esac
}

# passes, fails (also: ends by a signal), hangs, or there is no such test
verdict() { # JOB ROOM:Suite.Test
  local job=$1 room=${2%%:*} test=${2#*:} command status=0
  if [ "$room" = python ]; then
    python_verdict "$job" "$test"
    return
  fi
  command=$(command_of "$room")
  [ -z "$command" ] || export JME_BINARY=$job/$(basename "$(sed -n "s/^build $command: phony //p" "$build/build.ninja")")
  timeout "$test_limit" "$job/${room}_tests" --gtest_filter="$test:*/$test/*" >"$job/$test.log" 2>&1 || status=$?
  unset JME_BINARY
  if [ $status -eq 124 ]; then echo hangs
  elif [ $status -eq 126 ] || [ $status -eq 127 ]; then echo "cannot be run"
  elif [ $status -ne 0 ]; then echo fails
  elif grep -q '\[  PASSED  \] 0 tests' "$job/$test.log"; then echo missing
  else echo passes
  fi
}

check_control() { # ROOM:Suite.Test
  local result
  result=$(verdict "$work/control" "$1")
  [ "$result" = passes ] || die "unmutated, ${1#*:} $result"
}

key_of() { # NAME: changes with the file, the mistake, the tests named and the programs without the mistake
  local room output
  {
    printf '%s\n' "${edits[$1]}" "${tests[$1]}"
    mutated "$1"
    for room in $(rooms_of "$1"); do
      for output in $(outputs_of "$room"); do grep -F " $output" "$work/digests"; done
      [ "$room" != python ] || cat "$source"/python/jme/{,torch/}*.py "$source"/python/tests/*.py
    done
  } | sha256sum | cut -d ' ' -f 1
}

joined() { (IFS=,; echo "$*" | sed 's/,/, /g'); }

run_one() { # NAME: leaves its key and what became of it in results/NAME
  local name=$1 pair result line caught=() missed=() job
  job=$(mktemp -d "$work/job.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$job'" EXIT
  mkdir "$job/objects"
  cp -al "$source" "$job/source"
  rm "$job/source/${files[$name]}"
  mutated "$name" >"$job/source/${files[$name]}"
  if make_programs "$job" "$(rooms_of "$name")" "${files[$name]}"; then
    for pair in ${tests[$name]}; do
      result=$(verdict "$job" "$pair")
      if [ "$result" = fails ]; then caught+=("${pair#*:}"); else missed+=("${pair#*:} $result"); fi
    done
  else
    missed+=("it does not build")
    tail -n 20 "$job/log" >&2
  fi
  if [ ${#missed[@]} -eq 0 ]; then
    line=$(printf '%-24s %-8s caught by %s' "$name" caught "$(joined "${caught[@]}")")
  else
    line=$(printf '%-24s %-8s %s' "$name" SURVIVES "$(joined "${missed[@]}")")
  fi
  printf '%s\n%s\n' "$(key_of "$name")" "$line" >"$work/results/$name"
  echo "$line"
}
