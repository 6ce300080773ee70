// Recognizes a card number while it is typed. The lists are public (ISO/IEC 7812 and the schemes' own); the server
// decides about every number they do not have.

const SCHEMES = [
  { name: "AMEX", label: "American Express", starts: /^3[47]/, lengths: [15], cvv: 4, groups: [4, 6, 5] },
  { name: "TROY", label: "Troy", starts: /^9792/, lengths: [16], cvv: 3, groups: [4, 4, 4, 4] },
  {
    name: "MASTERCARD",
    label: "Mastercard",
    starts: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    cvv: 3,
    groups: [4, 4, 4, 4],
  },
  { name: "VISA", label: "Visa", starts: /^4/, lengths: [13, 16, 19], cvv: 3, groups: [4, 4, 4, 4, 3] },
];
const ANY_SCHEME = { name: "", label: "", lengths: undefined, cvv: undefined, groups: [4, 4, 4, 4, 3] };

export function digitsOf(text) {
  return withAsciiDigits(text).replaceAll(/\D/g, "");
}

/** Some keyboards and autofills write full-width or other scripts' digits. */
export function withAsciiDigits(text) {
  return text.normalize("NFKC").replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    const codePoint = digit.codePointAt(0);
    let zero = codePoint;
    while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
    // A script has its ten digits in a row.
    return String((codePoint - zero) % 10);
  });
}

export function schemeOf(digits) {
  return SCHEMES.find(({ starts }) => starts.test(digits)) ?? ANY_SCHEME;
}

/** The number in groups, as it is printed on the card. Digits too many for any card are cut off. */
export function formatNumber(text) {
  const digits = digitsOf(text).slice(0, 19);
  const { groups } = schemeOf(digits);
  const parts = [];
  let at = 0;
  for (const length of groups) {
    if (at < digits.length) parts.push(digits.slice(at, at + length));
    at += length;
  }
  if (at < digits.length) parts.push(digits.slice(at));
  return parts.join(" ");
}

/** `MM / YY`, with the slash put in as soon as the month is there. A year has two or four digits, before or after it. */
export function formatExpiry(typed, isDeleting) {
  const text = withAsciiDigits(typed);
  const [, isoYear, isoMonth] = /^\s*20(\d\d)\s*[/.-]?\s*(\d\d)/.exec(text) ?? [];
  if (isoYear !== undefined) return `${isoMonth} / ${isoYear}`;
  const [, month, typedYear] = /^\s*(\d{1,2})\s*[/.-]\s*(20\d{1,2}|\d{0,2})/.exec(text) ?? [];
  const year = typedYear?.length === 4 ? typedYear.slice(2) : typedYear;
  // Deleting skips the slash as if it were not there.
  if (month !== undefined && isDeleting && year === "") return month;
  if (month !== undefined) return `${month.padStart(2, "0")} / ${year}`;
  let digits = digitsOf(text).slice(0, 6);
  // The beginning of a year such as 2030, or of a month of one digit: the next digit tells.
  if (/^20?$|^20\d{1,3}$/.test(digits)) return digits;
  // A first digit from 2 on can only be a month of one digit.
  if (/^[2-9]/.test(digits)) digits = `0${digits}`;
  if (digits.length === 6) digits = digits.slice(0, 2) + digits.slice(4);
  if (digits.length < 2 || (digits.length === 2 && isDeleting)) return digits;
  return `${digits.slice(0, 2)} / ${digits.slice(2, 4)}`;
}

export function passesLuhn(digits) {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** @returns the number's fault, as a key of the page's texts, or undefined. */
export function numberFault(text) {
  const digits = digitsOf(text);
  if (digits === "") return "pan.required";
  if (digits.length < 12 || digits.length > 19) return "pan.invalid";
  const { lengths } = schemeOf(digits);
  if (lengths && !lengths.includes(digits.length)) return "pan.length";
  return passesLuhn(digits) ? undefined : "pan.luhn";
}

/** @param now the buyer's clock; the server's decides. */
export function expiryFault(text, now) {
  if (text.trim() === "") return "expiry.required";
  const [, month, year] = /^(\d{2}) \/ (\d{2})$/.exec(text.trim()) ?? [];
  if (month === undefined || Number(month) < 1 || Number(month) > 12) return "expiry.invalid";
  const months = (2000 + Number(year)) * 12 + Number(month) - 1;
  const today = now.getFullYear() * 12 + now.getMonth();
  // One month of grace: it may still be last month somewhere.
  if (months < today - 1) return "expiry.expired";
  return 2000 + Number(year) > now.getFullYear() + 20 ? "expiry.too_far" : undefined;
}

export function cvvFault(text, number) {
  if (text.trim() === "") return "cvv.required";
  const { cvv } = schemeOf(digitsOf(number));
  const code = withAsciiDigits(text).trim();
  return /^\d{3,4}$/.test(code) && (cvv === undefined || code.length === cvv) ? undefined : "cvv.invalid";
}

export function nameFault(text) {
  const name = text.trim();
  if (name === "") return "cardHolderName.required";
  if (/\d[\d -]{10,}\d/.test(withAsciiDigits(name))) return "cardHolderName.card_number";
  const length = Array.from(name).length;
  return length < 2 || length > 45 ? "cardHolderName.invalid" : undefined;
}
