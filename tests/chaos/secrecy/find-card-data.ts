import { encodingsOf, findSecrets } from "../../e2e/encodings.ts";
import { valuesIn, type StoredValue } from "./stored-values.ts";

/** Searches bytes for the numbers, in any encoding. @returns a description of each place */
export function findNumbers(where: string, content: Buffer, pans: readonly string[]): string[] {
  const sought = new Map(pans.map((pan) => [`card ${pan.slice(-4)}`, encodingsOf(pan)]));
  return findSecrets(content, sought).map((found) => `${found} in ${where}`);
}

/**
 * Searches texts for the security code as a word, or in base64 or escaped. Ids and times have three digits by chance,
 * so they are left out.
 */
export function findCode(values: readonly StoredValue[], code: string): string[] {
  const forms = [code, Buffer.from(code).toString("base64"), `\\x${Buffer.from(code).toString("hex")}`];
  return values
    .filter(({ value }) => {
      const words = value.replaceAll(WITHOUT_MEANING, "~").split(/[^A-Za-z0-9+/=\\]+/);
      return forms.some((form) => words.includes(form));
    })
    .map(({ column }) => `cvv in ${column}`);
}

/** Times, ids, and random bytes in base64. */
const WITHOUT_MEANING =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[A-Za-z0-9_-]{40,}|[A-Za-z0-9+/]{40,}={0,2}/g;

/** The texts in a log of JSON lines. Logs of PostgreSQL and nats-server have numbers of processes in them. */
export function valuesOfLog(name: string, text: string): StoredValue[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      return valuesIn(name, JSON.parse(line));
    } catch {
      return [];
    }
  });
}
