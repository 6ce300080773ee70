import { expect, test } from "vitest";
import { banner } from "./banner.ts";
import type { SandboxFile } from "./sandbox-file.ts";

const SANDBOX = {
  gatewayUrl: "http://127.0.0.1:8080",
  merchants: [{ name: "Demo Shop", apiKey: "k", apiSecret: "s" }],
  testMode: {},
  operators: [{ name: "alice", roles: ["viewer"] }],
  people: [],
} as unknown as SandboxFile;

test.each([
  [".holdfast", `"npm run --silent token -- alice"`],
  ["/tmp/shop", `"npm run --silent token -- --home '/tmp/shop' alice"`],
  ["Ada's", `"npm run --silent token -- --home 'Ada'\\''s' alice"`],
])("the command for a token finds the sandbox of %s as pasted", (home, command) => {
  expect(banner(SANDBOX, home)).toContain(command);
});
