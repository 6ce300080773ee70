/**
 * Every encoding in which a secret could be hidden in a file or a message. Base64 is searched at each of the
 * three alignments, without the characters at the ends that depend on the neighbours.
 */
export function encodingsOf(secret: string): Map<string, Buffer> {
  const bytes = Buffer.from(secret);
  const forms: [string, string | Buffer][] = [
    ["raw", secret],
    ["spaced", secret.replaceAll(/(.{4})(?=.)/g, "$1 ")],
    ["dashed", secret.replaceAll(/(.{4})(?=.)/g, "$1-")],
    ["reversed", Array.from(secret).toReversed().join("")],
    ["hex", bytes.toString("hex")],
    ["upper-case hex", bytes.toString("hex").toUpperCase()],
    ["URL-escaped", [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")],
    ["JSON-escaped", [...bytes].map((byte) => `\\u${byte.toString(16).padStart(4, "0")}`).join("")],
    ["UTF-16", Buffer.from(secret, "utf16le")],
    ...scriptForms(secret),
    ...base64Forms(bytes),
  ];
  return new Map(forms.map(([name, form]) => [name, Buffer.from(form as string)]));
}

/** A number in the digits of other scripts. Other secrets are never typed in them. */
function scriptForms(secret: string): [string, string][] {
  if (!/^[0-9]+$/.test(secret)) return [];
  return Object.entries(SCRIPTS).flatMap(([name, zero]): [string, string][] => {
    const written = inScript(secret, zero);
    return [
      [name, written],
      [`${name}, in hex`, Buffer.from(written).toString("hex")],
      [`${name}, URL-escaped`, encodeURIComponent(written)],
    ];
  });
}

const SCRIPTS = { "full-width": "０", "Arabic-Indic": "٠" };

/** The digits of a number in the script that has this zero. */
export function inScript(digits: string, zero: string): string {
  const first = zero.codePointAt(0)!;
  return Array.from(digits, (digit) => String.fromCodePoint(first + Number(digit))).join("");
}

function base64Forms(bytes: Buffer): [string, string][] {
  return [0, 1, 2].flatMap((shift): [string, string][] => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    const whole = shifted.toString("base64").replaceAll("=", "");
    // Bits of the padding in front and of the unknown byte behind reach into one character at each end.
    const inner = whole.slice(shift === 0 ? 0 : shift + 1, shifted.length % 3 === 0 ? undefined : -1);
    return [
      [`base64, shifted by ${shift}`, inner],
      [`base64url, shifted by ${shift}`, inner.replaceAll("+", "-").replaceAll("/", "_")],
    ];
  });
}

/** Lists the secrets in `content`, with their forms. */
export function findSecrets(content: Buffer, secrets: ReadonlyMap<string, Map<string, Buffer>>): string[] {
  const found: string[] = [];
  for (const [name, forms] of secrets) {
    for (const [form, bytes] of forms) if (content.includes(bytes)) found.push(`${name} (${form})`);
  }
  return found;
}
