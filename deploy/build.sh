#!/bin/sh
# Builds the receiver, and puts what it needs to run into a folder: npm ci && sh deploy/build.sh FOLDER
# Then it starts what is there once, with the handler. The handler has this environment, its settings included.
# VERSION is what the log calls this build; by default what git says.
set -eu
mkdir -p "${1:?name the folder}"
target=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
cd "$source"

NX_DAEMON=false npx nx run-many -t build -p webhook
version=${VERSION:-$(git describe --always --dirty --tags 2>/dev/null || true)}

# The libraries of this workspace that it depends on.
libraries=$(npm ls --workspace @plant-store/webhook --omit=dev --all --parseable --long |
  sed -n "s|.*:$source/\(libs/.*\)|\1|p" | sort -u)
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
[ -z "$version" ] || npm pkg set --workspace @plant-store/webhook "version=$version"

cd "$source"
node apps/webhook/serve/start-once.mjs "$target"
