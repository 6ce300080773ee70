/**
 * Encodes text in ISO-8859-9: Latin-1 with six Turkish letters in place of Icelandic ones. Other characters become a
 * question mark. Node decodes this encoding, but encodes UTF-8 only.
 */
export function encodeIso88599(text: string): Buffer {
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (const character of text) {
    bytes[length] = byteOf(character);
    length += 1;
  }
  return bytes.subarray(0, length);
}

function byteOf(character: string): number {
  const turkish = turkishBytes.get(character);
  if (turkish !== undefined) return turkish;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xff || replacedCodes.has(code) ? QUESTION_MARK : code;
}

const QUESTION_MARK = 0x3f;

const turkishBytes = new Map([
  ["Ğ", 0xd0],
  ["İ", 0xdd],
  ["Ş", 0xde],
  ["ğ", 0xf0],
  ["ı", 0xfd],
  ["ş", 0xfe],
]);

const replacedCodes = new Set(turkishBytes.values());
