/** Pads a text as fixed-length hosts do, with unusual characters that XML allows, and makes it long. */
export function paddedText(text: string): string {
  return `\t\u007F\u00AD${text}. ${SLIP}\u00A0\u007F\t`;
}

/** The same with characters that no XML document may have. */
export function illegalText(text: string): string {
  return `\u0000\u001B${text}\u0007\u0000\u0000`;
}

/** More than 200 characters. */
const SLIP = "LUTFEN BU FISI SAKLAYINIZ. ".repeat(9).trimEnd();
