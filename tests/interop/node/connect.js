// connect-node against a real server: it writes a request at once, however long it is, and meets answers while it writes.
//
//   npm install; npx buf build ../../.. -o sprague.binpb
//   SPRAGUED=target/release/spragued DESCRIPTORS=sprague.binpb node connect.js

"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { createFileRegistry, fromBinary } = require("@bufbuild/protobuf");
const { FileDescriptorSetSchema } = require("@bufbuild/protobuf/wkt");
const { Code, ConnectError, createClient } = require("@connectrpc/connect");
const { createGrpcTransport } = require("@connectrpc/connect-node");
const { withSpragued } = require("./programs");

const MIB = 1 << 20;

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, fs.readFileSync(process.env.DESCRIPTORS)));
const service = registry.getService("sprague.v1.SpragueService");

const row = (cells) => ({ board: { game: { case: "treblecross", value: { cells } } } });

const tests = {
  async "numbers past 2^53 are strings"(client) {
    const piles = ["18446744073709551615", "3"];
    const { result } = await client.solve({ board: { game: { case: "endNim", value: { piles } } } });
    assert.deepEqual(result.result.value.winningEnds.map(({ take }) => take), ["18446744073709551612"]);
  },

  // With more than 10 MiB still to be written, Node refuses the headers of an answer; its client then waits for ever, or
  // reports INTERNAL. So the server reads on before it answers.
  async "a message over the limit ends with its status and leaves the connection usable"(client) {
    for (const length of [17 * MIB, 20 * MIB, 40 * MIB]) {
      const call = client.solve(row(".".repeat(length)), { timeoutMs: 20_000 });
      const error = ConnectError.from(await call.then(() => assert.fail("answered"), (error) => error));
      assert.equal(Code[error.code], "OutOfRange", `${length} bytes: ${error}`);
      const { result } = await client.solve(row("...."), { timeoutMs: 5_000 });
      assert.equal(result.result.case, "solution");
    }
  },
};

withSpragued(["--listen", "127.0.0.1:0"], async ([address]) => {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const start = performance.now();
    try {
      await test(createClient(service, createGrpcTransport({ baseUrl: `http://${address}` })));
      console.log(`ok      ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}).then(() => process.exit());
