import { expect, test } from "vitest";

import { cardBody, startTestSimulator, threeDsFields, type AnsweredBody } from "./test/test-simulator.ts";

const TEXTS = ["resultMessage", "authCode", "resultCode", "externalTransactionId"] as const;
/** Characters with which a bank's host pads. */
const CONTROL_CHARACTERS = ["\u0000", "\u0007", "\u001b"];

test.each([
  ["sale", "/v1/sale", {}],
  ["enrol", "/v1/3ds/enrol", threeDsFields("4000000000003097")],
  ["complete", "/v1/3ds/complete", { operation: "sale", session: "00000000-0000-4000-8000-000000000000" }],
  ["inquire", "", {}],
])("the texts of an answer are padded, and nothing else: %s", async (operation, path, fields) => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...fields };
  if (path === "") await bank.post("/v1/sale", body);
  const ask = async () => (path === "" ? bank.inquire(body.reference) : (await bank.post(path, body)).body);
  await bank.fault(operation, "control_characters");
  expectPadded(await ask(), await ask());
  expect(JSON.stringify(await bank.ledger())).not.toMatch(/\\u00/);
  await bank.fault("inquire", "control_characters");
  expect(await bank.inquire("unknown")).toEqual({ reference: "unknown", outcome: "not_found" });
});

function expectPadded(padded: AnsweredBody, plain: AnsweredBody): void {
  const texts = TEXTS.filter((name) => plain[name] !== undefined);
  expect(texts).toContain("resultCode");
  for (const name of texts) {
    const text = padded[name] as string;
    expect([text.at(0), text.at(-1)]).toEqual(["\u0000", "\u0000"]);
    for (const character of CONTROL_CHARACTERS) expect(text).toContain(character);
    const clean = CONTROL_CHARACTERS.reduce((rest, character) => rest.replaceAll(character, ""), text);
    if (name === "resultMessage") expect(clean.length).toBeGreaterThan(200);
    else expect(clean).toBe(plain[name]);
  }
  const unpadded = Object.fromEntries(texts.map((name) => [name, plain[name]]));
  expect({ ...padded, ...unpadded }).toEqual(plain);
}
