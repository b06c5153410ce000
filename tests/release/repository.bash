# A repository made of this one's files that scripts/release reads, ready for release: sourced by the tests beside it.
# Needs $source_dir; sets $work (removed at the end), $repository and $version.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$work/jme
# Neither the user's settings nor a repository around the source may matter.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.org \
  GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

version=$(sed -n 's/^project(jme VERSION \([^ ]*\).*/\1/p' "$source_dir/CMakeLists.txt")
mkdir -p "$repository/docs" "$repository/scripts"
cp "$source_dir/CMakeLists.txt" "$repository"
cp -r "$source_dir/docs/man" "$repository/docs"
cp "$source_dir/scripts/release" "$repository/scripts"
echo /out/ >"$repository/.gitignore"
# The changelog as it would be on the day of a release: nothing under Unreleased, and a date at the newest version.
awk '/^## \[Unreleased\]/ {skip = 1; next} /^## / {skip = 0} !skip' "$source_dir/CHANGELOG.md" |
  sed '0,/^## /s/^\(## \[.*\]\).*/\1 - 2026-01-31/' >"$repository/CHANGELOG.md"
git -C "$repository" init -q -b main
