# fish completion for jme. Flags come from the command's own help, so they are never out of date.

# generated: commands
set -l commands run bounds plan calibrate account sensitivity shape compare audit ledger serve token reproduce demo help
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a run -d "Private running moments of rows from a file or standard input"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a bounds -d "Ranges of columns that nobody knows, found privately"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a plan -d "How exact a run would be, before any data is touched"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a calibrate -d "Noise for a privacy budget, or the budget a noise gives"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a account -d "What training on sampled batches costs, or the noise it needs"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a sensitivity -d "How far one person can move both moments"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a shape -d "How good a noise shape is for a workload"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a compare -d "Whether the means changed between two releases of a run"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a audit -d "Runs two versions of the data and checks how far apart they are"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a ledger -d "The streams of a state folder and what they spent together"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a serve -d "Takes rows and gives releases over HTTP, for many streams"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a token -d "Tokens for jme serve: add, renew, list, revoke"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a reproduce -d "The paper's figures and tables, recomputed, with verdicts"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a demo -d "The whole pipeline on built-in public data, private beside exact"
complete -c jme -n "not __fish_seen_subcommand_from $commands" -a help -d "Flags and examples of a command"
# end

function __jme_flags
    set -l words (commandline -opc)
    jme $words[2] --help 2>/dev/null | sed -n '/^Example/q;s/^  \(-h,\)\{0,1\}\(--[a-z0-9-]*\)[^ ]*\( [^ ]*\)\{0,1\}  *\(.*\)/\2\t\4/p'
end

function __jme_after
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

complete -c jme -f
complete -c jme -n '__fish_seen_subcommand_from help' -a "$commands"
complete -c jme -n "__fish_seen_subcommand_from $commands; and string match -q -- '-*' (commandline -ct)" -a '(__jme_flags)'
# generated: values
complete -c jme -n '__jme_after --format' -a 'auto csv ndjson npy'
complete -c jme -n '__jme_after --compression' -a 'auto none gzip xz'
complete -c jme -n '__jme_after --records' -a 'lines quoted'
complete -c jme -n '__jme_after --delimiter' -a 'tab semicolon pipe'
complete -c jme -n '__jme_after --decimal' -a 'point comma'
complete -c jme -n '__jme_after --on-bad-row' -a 'fail zero'
complete -c jme -n '__jme_after --missing' -a 'observed model mean centre fail'
complete -c jme -n '__jme_after --time-unit' -a 's ms us minute hour day'
complete -c jme -n '__jme_after --late' -a 'current drop'
complete -c jme -n '__jme_after --adjacency' -a 'replace-one add-remove'
complete -c jme -n '__jme_after --rows' -a 'unbounded'
complete -c jme -n '__jme_after --geometry' -a 'auto ball ball-trace box'
complete -c jme -n '__jme_after --workload --workload1' -a 'prefix mean decay:0.99 window:100'
complete -c jme -n '__jme_after --workload2' -a 'prefix mean decay:0.99 window:100'
complete -c jme -n '__jme_after --second' -a 'full diagonal none'
complete -c jme -n '__jme_after --method' -a 'jme lambda-jme ime cs pp pp-debiased'
complete -c jme -n '__jme_after --shape --shape1' -a 'auto identity sqrt banded:16 banded-inverse:16 blt:4 scaled-blt:4 scaled-blt:4:prefix dense'
complete -c jme -n '__jme_after --shape2' -a 'auto identity sqrt banded:16 banded-inverse:16 blt:4 scaled-blt:4 scaled-blt:4:prefix dense'
complete -c jme -n '__jme_after --balance' -a 'free balanced'
complete -c jme -n '__jme_after --objective' -a 'rmse max'
complete -c jme -n '__jme_after --emit' -a 'first second mean covariance correlation precision pca: regression: density'
complete -c jme -n '__jme_after --config --kafka-options --output --report --with' -F
complete -c jme -n '__jme_after --out --report-figures --state --training' -a '(__fish_complete_directories)'
# end
complete -c jme -n '__jme_after --squares' -a 'per-example batch-mean paper'
complete -c jme -n '__jme_after --role' -a 'write read admin'
complete -c jme -n '__fish_seen_subcommand_from ledger' -a '(__fish_complete_directories)'
complete -c jme -n '__fish_seen_subcommand_from token' -a 'add renew list revoke'
complete -c jme -n '__fish_seen_subcommand_from reproduce' -a "all (jme reproduce --list 2>/dev/null | string replace -r ' .*' '')"
complete -c jme -n '__fish_seen_subcommand_from run bounds' -F
