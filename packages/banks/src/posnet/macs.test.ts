import { expect, test } from "vitest";

import { isMac, isSign, macOf } from "./macs.ts";
import { KEY } from "./test/posnet-bench.ts";

const X = { name: "7K2M9Q4T8W3X6Z5B1C0D", amount: "125000", currency: "TL" };
const order = (name: string, amount: string) => ({ name, amount, currency: "TL" });
const ANOTHER = { ...KEY, merchantId: "6797752273", terminalId: "67537267" };

test.each([
  [order("YKB_TST_190620093100_024", "175"), "J/7/Xprj7F/KDf98luVfIGyUPRQzUCqGwpmvz3KT7oQ="],
  [order("000000002020110828BC", "10001"), "oE7zwV87uOc2DFpGPlr4jQRQ0z9LsxGw56c7vaiZkTo="],
  [X, "oKA1y7ka9rJlySDv4a4SzS/9B8s0c+QXKemL9dnSW/Q="],
])("a request's MAC is the published one, %#", (of, mac) => {
  expect(macOf(of, KEY)).toBe(mac);
});

test.each([
  ["6", order("0000ANDL260810071759", "100"), KEY, "Y1cm0mvPdJzIGpXUm6f4NOoLLwNLAwIl2VBIADThvmI="],
  ["9", order("00000000000000000895", "100"), KEY, "7I9ojRm7yzvZZTFNOYWocGIGSTv2Vmq23STR6X6X+c0="],
  ["9", order("12345678901234567890", "10000"), ANOTHER, "u08ENxSy/9Bi04MJ2IgbUWfg/LalRlGXjcLl7X0b+dg="],
  ["1", X, KEY, "aO5E6PbLwk5dsYvTZ0iCVjzVtMCyS5dNNP2GU7wNTek="],
  ["021450428990000191", X, KEY, "ojsM30gPfiIL4xMwk6tvoAUx13W1MVerMLHBgxWMY+U="],
  ["", X, KEY, "gwO2i8flzzCUU8S6p5KvbBacDOt8VC0keREEXUuS2Z0="],
] as const)("an answer's MAC begins with what the bank says, %#", (first, of, key, mac) => {
  expect(macOf(of, key, first)).toBe(mac);
  const own = macOf(of, key, first);
  expect(isMac(own, of, key, first)).toBe(true);
  for (const other of [
    { ...of, amount: `${of.amount}0` },
    { ...of, currency: "US" },
    { ...of, name: `${of.name}0` },
  ])
    expect(isMac(own, other, key, first)).toBe(false);
  expect(isMac(own, of, { ...key, encKey: "another" }, first)).toBe(false);
  expect(isMac(own, of, key, `${first}1`)).toBe(false);
  expect(isMac("", of, key, first)).toBe(false);
});

test("a return's Sign covers both packets and the key", () => {
  const merchant =
    "01020304050607080FCE61B0A4BD3770BEBD35280EA1E413E1FB60AD7C7F03204D090F096FA52EC9BE07062F94F179741361B6B15493E03F466A092BE2C45B404865B781260C90D4394AB43182D9DA73D13352613BC85D51B57915F56863834946A828C232230BA9DBAD5ADBE4A9E6DD4990F7918F0A9123FB891723D8535EBE2DCD7207E341378DEF2D7E5E05170825EA0C8EE7";
  const bank = "11121314151617185F697F99BBE252112BDFD783";
  const sign = "FC7A2DECFB6603FD76D3174685957B02";
  expect(isSign(sign, [merchant, bank], KEY)).toBe(true);
  expect(isSign(sign.toLowerCase(), [merchant, bank], KEY)).toBe(true);
  expect(isSign(sign, [bank, merchant], KEY)).toBe(false);
  expect(isSign(sign, [merchant, bank], { encKey: "another" })).toBe(false);
});
