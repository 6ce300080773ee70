/** An address that a browser is sent to. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && text.length <= 2_048 && URL.canParse(text);
}
