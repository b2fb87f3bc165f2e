#!/usr/bin/env bash
# What the GitHub Action runs in the module's directory: findings to the log,
# as annotations and as SARIF, and what changes about locks to the summary of
# the job. Writes code, sarif and diff to $GITHUB_OUTPUT and ends well: the
# action fails at its end, when everything is uploaded.
set -uo pipefail
out=${RUNNER_TEMP:-/tmp}/pglockdep
mkdir -p "$out"
read -ra packages <<<"${PACKAGES:-./...}"
eval "flags=(${FLAGS:-})"
new=()
if [[ -n ${BASE:-} && $BASE != none ]]; then
	new=(-new-from "$BASE")
fi

say() { echo "$1" >>"$GITHUB_OUTPUT"; }

pglockdep check -fail-on "${FAIL_ON:-warning}" "${flags[@]}" "${new[@]}" "${packages[@]}" | tee "$out/check.txt"
code=${PIPESTATUS[0]}
if ((code < 2)); then
	pglockdep check -format github "${flags[@]}" "${new[@]}" "${packages[@]}"
	pglockdep check -format sarif "${flags[@]}" "${new[@]}" "${packages[@]}" >"$out/pglockdep.sarif"
	(($? < 2)) && say "sarif=$out/pglockdep.sarif"
	{
		echo "<!-- pglockdep -->" # by this line its comment is found again
		echo "## Database locks"
		echo
		echo '```'
		head -c 60000 "$out/check.txt" # a comment has room for 65,536 characters
		echo '```'
	} >"$out/diff.md"
	cat "$out/diff.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	say "diff=$out/diff.md"
fi
if [[ ${DOCS:-false} == true ]] && ((code < 2)); then
	pglockdep docs -check "${packages[@]}"
	page=$?
	((page > code)) && code=$page
fi
say "code=$code"
