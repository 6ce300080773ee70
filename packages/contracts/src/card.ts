import { inspect } from "node:util";

/**
 * Plain card data. Printed in any way (string, JSON, console, template) it shows as `[card]`; the fields have to be
 * asked for by name. It is held in memory for one request, never at rest.
 */
export class Card {
  readonly #data: CardData;

  constructor(data: CardData) {
    this.#data = data;
  }

  /** The data itself, for the acquirer call and for sealing. */
  reveal(): CardData {
    return this.#data;
  }

  toString(): string {
    return "[card]";
  }

  toJSON(): string {
    return "[card]";
  }

  [inspect.custom](): string {
    return "[card]";
  }
}

/** `pan` 12-19 digits, `expiryMonth` 01-12, `expiryYear` two digits, `cvv` 3 or 4 digits. */
export type CardData = { pan: string; expiryMonth: string; expiryYear: string; cvv: string };

/** The stored and shown form: first six and last four digits, an asterisk for each one between (spec, `pan`). */
export function maskPan(pan: string): string {
  return pan.slice(0, 6) + "*".repeat(pan.length - 10) + pan.slice(-4);
}

/** The Luhn check (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** American Express: 34 and 37, with a four-digit cvv. */
export function isAmexPan(pan: string): boolean {
  return /^3[47]/.test(pan);
}
