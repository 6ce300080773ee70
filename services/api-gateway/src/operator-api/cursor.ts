/** A place in a list: the id of the last item seen, in a form nobody is tempted to build by hand. */
export function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
}

/** @returns undefined for anything `encodeCursor` did not make. */
export function decodeCursor(cursor: string): string | undefined {
  if (!/^[\w-]{22}$/.test(cursor)) return undefined;
  const hex = Buffer.from(cursor, "base64url").toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return encodeCursor(id) === cursor ? id : undefined;
}
