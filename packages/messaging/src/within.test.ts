import { once } from "node:events";
import { expect, test } from "vitest";
import { within } from "./within.ts";

test("of a wait that is over already, as in a process that stood still, no timer is set in the past", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  expect(await within(-2_000, Promise.withResolvers<void>().promise)).toBe(false);
  expect(await within(-2_000, Promise.resolve())).toBe(true);
  // Warnings come in order, so a timer's warning would come before this one.
  const last = once(process, "warning");
  process.emitWarning("the last one");
  await last;
  process.off("warning", note);
  expect(warnings.map(({ message }) => message)).toEqual(["the last one"]);
});
