import { expect, test } from "vitest";

import { posnetSecrets, posnetSettings } from "./posnet-settings.ts";
import { SECRETS, settingsOf } from "./test/posnet-bench.ts";

const url = "https://bank.example";

test("an account needs the bank's numbers, and has defaults for the rest", () => {
  expect(posnetSettings.parse(settingsOf(url))).toEqual({
    ...settingsOf(url),
    orderPrefix: "TDS_",
    gatePost: "server",
    acceptMdStatus: ["1"],
    confirmAmounts: true,
    verifySign: false,
  });
});

test.each([
  [{ merchantId: "670659832" }, "must be 10 digits"],
  [{ terminalId: "6700555" }, "must be 8 digits or upper-case letters"],
  [{ posnetId: "96A4" }, "must be 1 to 16 digits"],
  [{ orderPrefix: "TDS" }, "must be 4 upper-case letters, digits or underscores"],
  [{ gatePost: "browser" }, "must be server: no other way is supported"],
  [{ acceptMdStatus: ["9"] }, "must be 1, 2, 3 or 4"],
  [{ password: "secret-1" }, "must have no field password"],
])("%o is refused", (changes, message) => {
  const { error } = posnetSettings.safeParse(settingsOf(url, changes));
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test("a key is ASCII, and no error repeats it", () => {
  expect(posnetSecrets.safeParse(SECRETS).success).toBe(true);
  const { error } = posnetSecrets.safeParse({ encKey: "şifre,10" });
  expect(JSON.stringify(error?.issues)).not.toContain("ifre,10");
});
