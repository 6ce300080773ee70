import * as fc from "fast-check";
import { expect, test } from "vitest";

import { readReturn } from "./browser-return.ts";
import { KEY, returned } from "./test/posnet-bench.ts";

const read = (more: Parameters<typeof returned>[0], verifySign = false) =>
  readReturn(returned(more), { verifySign }, KEY);

/** Packets of the published key, with their Sign. */
const SIGNED = {
  MerchantPacket:
    "01020304050607080FCE61B0A4BD3770BEBD35280EA1E413E1FB60AD7C7F03204D090F096FA52EC9BE07062F94F179741361B6B15493E03F466A092BE2C45B404865B781260C90D4394AB43182D9DA73D13352613BC85D51B57915F56863834946A828C232230BA9DBAD5ADBE4A9E6DD4990F7918F0A9123FB891723D8535EBE2DCD7207E341378DEF2D7E5E05170825EA0C8EE7",
  BankPacket: "11121314151617185F697F99BBE252112BDFD783",
  Sign: "FC7A2DECFB6603FD76D3174685957B02",
};

test("packets are for the bank to read, whatever stands beside them", () => {
  const { MerchantPacket: merchantData, BankPacket: bankData, Sign: sign } = SIGNED;
  const packets = { kind: "packets", merchantData, bankData, sign };
  for (const plain of [{}, { Xid: "other", Amount: "1", MerchantId: "1" }, { Xid: undefined }])
    for (const verifySign of [true, false])
      expect(read({ ...SIGNED, ...plain }, verifySign)).toEqual(packets);
});

test.each<[string, Parameters<typeof returned>[0], string, boolean?]>([
  ["no Sign", { Sign: undefined }, "no_signature"],
  ["an empty Sign", { Sign: "" }, "no_signature"],
  ["a short Sign", { Sign: "AAAA" }, "signature"],
  ["no packet of the bank's", { BankPacket: undefined }, "signature"],
  ["no packet of ours", { MerchantPacket: undefined }, "signature"],
  ["a packet that is none", { BankPacket: "<x>" }, "signature"],
  ["a packet of 5 000", { BankPacket: "A".repeat(5_000) }, "signature"],
  ["packets of another Sign", { ...SIGNED, BankPacket: `${SIGNED.BankPacket}00` }, "signature", true],
  ["another Sign", { ...SIGNED, Sign: "0".repeat(32) }, "signature", true],
])("%s is not genuine", (_, more, why, verifySign) => {
  expect(read(more, verifySign)).toEqual({ kind: "not_genuine", why });
});

test("a field that comes twice, and no return at all, are not genuine", () => {
  const { fields } = returned();
  const twice = { fields: [...fields, ["sign", "0".repeat(32)] as const] };
  expect(readReturn(twice, { verifySign: false }, KEY)).toEqual({ kind: "not_genuine", why: "signature" });
  for (const none of [undefined, { fields: [] }])
    expect(readReturn(none, { verifySign: false }, KEY)).toEqual({
      kind: "not_genuine",
      why: "no_signature",
    });
});

test("no fields break it", () => {
  const names = fc.constantFrom("MerchantPacket", "BankPacket", "Sign", "sign", "Xid");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(names, fc.string({ unit: "binary" }))),
      fc.boolean(),
      (fields, verifySign) => {
        expect(["packets", "not_genuine"]).toContain(readReturn({ fields }, { verifySign }, KEY).kind);
      },
    ),
  );
});
