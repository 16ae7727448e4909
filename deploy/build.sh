#!/bin/sh
# Builds the receiver, and puts what it needs to run into a folder: npm ci && sh deploy/build.sh FOLDER
# Run it in a clone of its own: in the end, node_modules has only what production needs.
set -eu
mkdir -p "${1:?name the folder}"
target=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

NX_DAEMON=false npx nx run-many -t build -p webhook

npm ci --omit=dev --workspace @plant-store/webhook
cp -R --parents LICENSE node_modules libs/contract/package.json libs/contract/dist apps/webhook/package.json \
  apps/webhook/bin apps/webhook/dist apps/webhook/migrations apps/webhook/openapi.json "$target"

cd "$target"
# Node.js loads no types, source maps, documentation and tests.
find . -type f \( -name '*.ts' -o -name '*.[cm]ts' -o -name '*.map' -o -name '*.md' \) ! -iname '*license*' -delete
find node_modules -type d \( -name test -o -name benchmark -o -name benchmarks \) -prune -exec rm -r {} +
# npm installs these, but the receiver loads none: optional peers, a page that it doesn't serve, SQLite in C.
rm -rf node_modules/typescript node_modules/express node_modules/@nestjs/platform-express \
  node_modules/swagger-ui-dist node_modules/@photostructure/sqlite/src
# Its binaries for other systems.
find node_modules/@photostructure/sqlite/prebuilds -mindepth 1 -maxdepth 1 \
  ! -name "$(node -p process.platform)-*" -exec rm -r {} +
# Links to what wasn't copied.
find -L node_modules -type l -delete
