#!/usr/bin/env bash
# Builds the Go and C++ programs of tests/interop in the folder that is named, from Debian's packages; .ci/interop
# installs those.
#
#   tests/interop/build.sh FOLDER        makes FOLDER/interop (Go) and FOLDER/stream (C++)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$1"
cd "$1"

# A GOPATH, because Debian ships Go's libraries as sources and not as modules.
module=go/src/sprague.example
rm -rf go && mkdir -p $module/interop
cp -r "$root/clients/go" $module/client
cp "$root"/tests/interop/go/*.go $module/interop/
(cd $module/client && bash -c "$(sed -n "s,^//go:generate ,,p" client.go | sed "s,\.\./\.\./proto,$root/proto,")")
(cd $module/interop && GO111MODULE=off GOPATH=$PWD/../../..:/usr/share/gocode go vet ../client . &&
    GO111MODULE=off GOPATH=$PWD/../../..:/usr/share/gocode go build -o ../../../../interop .)
[ -z "$(gofmt -l $module/client/client.go $module/interop)" ] || { echo "gofmt: $(gofmt -l $module)" >&2; exit 1; }

protoc -I "$root/proto" --cpp_out=. --grpc_out=. --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" sprague/v1/sprague.proto
g++ -std=c++17 -O1 -I. "$root/tests/interop/cpp/stream.cc" sprague/v1/*.cc -o stream $(pkg-config --cflags --libs grpc++ protobuf)
