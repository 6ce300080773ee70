import createQrCode from "qrcode-generator";

/** Light modules around the code, which readers need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** The text as a QR code: black on white on any background, one unit a module, for the page to scale. */
export function qrCodeSvg(text: string): string {
  const code = createQrCode(0, "M");
  code.addData(text, "Byte");
  code.make();
  const modules = code.getModuleCount();
  const size = modules + 2 * QUIET_ZONE;
  const dark: string[] = [];
  for (let row = 0; row < modules; row++) {
    for (let column = 0; column < modules; column++) {
      if (code.isDark(row, column)) dark.push(`M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`);
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dark.join("")}"/></svg>\n`
  );
}
