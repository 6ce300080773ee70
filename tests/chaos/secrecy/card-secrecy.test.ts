import { expect, test } from "vitest";
import { findCode, findNumbers, valuesOfLog } from "./find-card-data.ts";
import { valuesIn } from "./stored-values.ts";

const value = (text: string) => [{ column: "payments.payment.x", value: text }];

test.each(["739", "md 739.", "a:739", '{"cvv":"739"}', "NzM5", "\\x373339"])(
  "a code is found in %s",
  (text) => {
    expect(findCode(value(text), "739")).toEqual(["cvv in payments.payment.x"]);
  },
);

test.each([
  "2026-11-23T04:35:47.739Z",
  "2026-11-23 04:35:47.739+00",
  "0198d9a0-0000-7000-8000-000000000739",
  "17395",
  "t739x",
])("and not in %s", (text) => {
  expect(findCode(value(text), "739")).toEqual([]);
});

test("bytes that are a text are read, numbers are no text", () => {
  const hex = Buffer.from('{"code":"739"}').toString("hex");
  expect(findCode(valuesIn("t", { body: `\\x${hex}`, durationMs: 739 }), "739")).toEqual(["cvv in t.body"]);
  expect(findCode(valuesOfLog("log", '{"durationMs":739}\n[739] LOG\n{"text":"739"}\n'), "739")).toEqual([
    "cvv in log.text",
  ]);
});

test("a number is found in the middle of anything, as base64 too", () => {
  const pan = "4539578763621486";
  const inside = Buffer.from(`..${Buffer.from(`<pan>${pan}</pan>`).toString("base64")}..`);
  expect(findNumbers("here", inside, [pan])).not.toEqual([]);
  expect(findNumbers("here", Buffer.from("453957******1486"), [pan])).toEqual([]);
});
