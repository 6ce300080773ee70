import { readFileSync } from "node:fs";
import { protocolNames } from "@holdfast/bank-simulator";
import { CONNECTORS } from "@holdfast/banks";
import { bankProtocols, banks } from "@holdfast/sandbox/banks";
import { expect, test } from "vitest";
import { PROTOCOLS } from "./protocols.ts";

// The lists are separate on purpose, since the simulators share nothing with the adapters. A bank that one of
// them lacks would silently be left out of conformance, chaos or faults.
test("each adapter has a simulator, an account in the sandbox, and questions to its bank", () => {
  const foreign = [...CONNECTORS.keys()].filter((name) => name !== "sim").toSorted();
  expect(protocolNames.filter((name) => name !== "sim").toSorted()).toEqual(foreign);
  expect(bankProtocols.toSorted()).toEqual(foreign);
  expect(Object.keys(PROTOCOLS).toSorted()).toEqual(foreign);
});

test("the README names all of them, and starts the sandbox with all of them", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [, adapters = ""] = /adapters for (.*?) \(/.exec(readme) ?? [];
  for (const protocol of bankProtocols) expect(adapters).toContain(banks[protocol].label);
  expect(readme).toContain(`npm start -- --banks ${bankProtocols.join(",")}\n`);
});
