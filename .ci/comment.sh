#!/usr/bin/env bash
# .ci/comment.sh FILE keeps one comment on pull request $NUMBER of
# $GITHUB_REPOSITORY: the one whose text begins with the first line of FILE is
# written anew; where there is none, one is made. Needs gh and GH_TOKEN.
set -euo pipefail
mark=$(head -n 1 "$1")
comments=repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
id=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [[ -n $id ]]; then
	gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$1"
else
	gh api --silent -X POST "$comments" -F "body=@$1"
fi
