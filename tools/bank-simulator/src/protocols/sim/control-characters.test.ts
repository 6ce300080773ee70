import { expect, test } from "vitest";

import { cardBody, startTestSimulator, threeDsFields, type AnsweredBody } from "./test/test-simulator.ts";

const TEXTS = ["resultMessage", "authCode", "resultCode", "externalTransactionId"] as const;
/** Characters with which a bank's host pads. */
const CONTROL_CHARACTERS = ["\u0000", "\u0007", "\u001b"];

test("an operation is carried out, and the texts of its answer are padded", async () => {
  await using bank = await startTestSimulator();
  const body = cardBody();
  await bank.fault("sale", "control_characters");
  const padded = (await bank.post("/v1/sale", body)).body;
  expectPadded(padded, (await bank.post("/v1/sale", body)).body);
  expect(JSON.stringify(await bank.ledger())).not.toMatch(/\\u00/);
});

test("an inquiry's texts are padded, and one for an unknown reference has none", async () => {
  await using bank = await startTestSimulator();
  const sale = cardBody();
  await bank.post("/v1/sale", sale);
  await bank.post("/faults", { operation: "inquire", behaviour: "control_characters", times: 2 });
  const padded = await bank.inquire(sale.reference);
  expect(await bank.inquire("unknown")).toEqual({ reference: "unknown", outcome: "not_found" });
  expectPadded(padded, await bank.inquire(sale.reference));
});

test("enrolments and completions that are declined are padded", async () => {
  await using bank = await startTestSimulator();
  const body = { ...cardBody(), ...threeDsFields("4000000000003097") };
  for (const operation of ["enrol", "complete"]) {
    await bank.post("/faults", { operation, behaviour: "control_characters" });
    const request = { ...body, session: "00000000-0000-4000-8000-000000000000" };
    const padded = (await bank.post(`/v1/3ds/${operation}`, request)).body;
    expectPadded(padded, (await bank.post(`/v1/3ds/${operation}`, request)).body);
  }
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
  const others = (body: AnsweredBody) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !TEXTS.some((text) => text === name)));
  expect(others(padded)).toEqual(others(plain));
}
