# Sourced by the scripts next to it, from the root of the repository.

# skip PART WHY: prints a message; in CI it fails, unless tests/skipped.txt lists the part.
skip() {
  echo "SKIPPED: $1: $2"
  case ${CI:-} in '' | 0 | false) return ;; esac
  if ! awk -v part="$1: " '!/^#/ && index($0, part) == 1 { found = 1 } END { exit !found }' tests/skipped.txt; then
    echo "FAIL $1 is skipped in CI, and tests/skipped.txt does not list it"
    return 1
  fi
}
