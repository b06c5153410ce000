# fish completion for jme-train. Flags come from the command's own help, so they are never out of date.

function __jme_train_flags
    set -l words (commandline -opc)
    jme-train $words[2..2] --help 2>/dev/null | string match -r '^  (?:-h,)?(--[a-z0-9-]+)' | string match -r '^--[a-z0-9-]+$'
end

complete -c jme-train -f
complete -c jme-train -n '__fish_use_subcommand' -a run -d 'Train a network with private Adam'
complete -c jme-train -n '__fish_use_subcommand' -a reproduce -d 'The table of the paper'
complete -c jme-train -n '__fish_use_subcommand' -a chart -d 'Learning curves of several runs'
complete -c jme-train -n '__fish_seen_subcommand_from chart' -F
complete -c jme-train -n 'not __fish_use_subcommand' -a '(__jme_train_flags)'
complete -c jme-train -l method -x -a 'jme jme-paper pp pp-debiased joint-clip none'
complete -c jme-train -l dataset -x -a 'fashion-mnist cifar10'
complete -c jme-train -l setting -x -a 'medium high both'
complete -c jme-train -l data -x -a '(__fish_complete_directories)'
complete -c jme-train -l out -x -a '(__fish_complete_directories)'
complete -c jme-train -l checkpoint -r
