// Loaded before a service by `--import`: shifts its clock ahead by the milliseconds in the file that
// CLOCK_SHIFT_FILE names. The service itself has no setting for this.
import { readFileSync } from "node:fs";

const file = process.env["CLOCK_SHIFT_FILE"]!;
const realNow = Date.now;
let shiftMs = Number(readFileSync(file, "utf8"));
setInterval(() => void (shiftMs = Number(readFileSync(file, "utf8"))), 50).unref();

const now = () => realNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as object,
  get: (target, key) => (key === "now" ? now : (Reflect.get(target, key) as unknown)),
});
