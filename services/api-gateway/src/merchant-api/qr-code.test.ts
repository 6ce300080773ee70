import createQrCode from "qrcode-generator";
import { expect, test } from "vitest";
import { qrCodeSvg } from "./qr-code.ts";

const LINK = "https://pay.example/checkout/links/6f0c0c3e-5a2d-4c57-9b0e-3b6a1f6f8a10";

test("the code is drawn module by module, with the quiet zone that readers need", () => {
  const svg = qrCodeSvg(LINK);
  const code = createQrCode(0, "M");
  code.addData(LINK, "Byte");
  code.make();
  const modules = code.getModuleCount();
  expect(svg).toContain(`viewBox="0 0 ${modules + 8} ${modules + 8}"`);
  const drawn = [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
  const dark = Array.from({ length: modules ** 2 }, (_, at) => [at % modules, Math.floor(at / modules)])
    .filter(([column, row]) => code.isDark(row!, column!))
    .map(([column, row]) => `${column! + 4} ${row! + 4}`);
  expect(drawn).toEqual(dark);
});

test("nothing in it runs, loads or repeats the text", () => {
  const svg = qrCodeSvg(`${LINK}?<script>`);
  expect(svg.match(/<\w+/g)).toEqual(["<svg", "<path", "<path"]);
});
