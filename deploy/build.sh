#!/bin/sh
# Builds the receiver, and puts what it needs to run into a new folder: npm ci && sh deploy/build.sh FOLDER
# Then it starts what is there once, with the handler. The handler has this environment, its settings included.
# VERSION is what the log calls this build; by default what git says.
set -eu
# The receiver's user must be able to read what root builds.
umask 022
mkdir -p "${1:?name the folder}"
# A receiver may run in it, and what an earlier build left would stay.
[ -z "$(ls -A "$1")" ] || { echo "build.sh: $1 is not empty. Name a new folder for each build." >&2 && exit 2; }
target=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$source"

NX_DAEMON=false npx nx run-many -t build -p webhook
version=${VERSION:-$(git describe --always --dirty --tags || echo 0.0.0)}

# The libraries of this workspace that it depends on.
libraries=$(npm ls --workspace @plant-store/webhook --omit=dev --all --parseable |
  xargs --delimiter '\n' realpath --relative-to . | grep '^libs/' | sort -u)
tar --create --exclude node_modules --exclude dist-dev LICENSE .npmrc package.json package-lock.json $libraries \
  apps/webhook/package.json apps/webhook/bin apps/webhook/dist apps/webhook/migrations apps/webhook/openapi.json |
  tar --extract --directory "$target"

cd "$target"
# As packages for development, npm would install the optional peers of the others: Express and the compiler.
npm pkg delete devDependencies
npm pkg delete devDependencies --workspaces
npm install --omit=dev --prefer-offline
rm .npmrc
# The SQLite of other systems, and its source.
find node_modules/@photostructure/sqlite/prebuilds -mindepth 1 -maxdepth 1 \
  ! -name "$(node -p 'process.platform + "-" + process.arch')" -exec rm -r {} +
rm -r node_modules/@photostructure/sqlite/src
npm pkg set --workspace @plant-store/webhook "version=$version"

cd "$source"
node deploy/start-once.mjs "$target"
