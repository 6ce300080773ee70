/** ISO/IEC 7812-1: from the right every second digit is doubled, and the sum of all digits is a multiple of ten. */
export function isLuhnValid(pan: string): boolean {
  let sum = 0;
  for (let index = 0; index < pan.length; index += 1) {
    const digit = Number(pan[pan.length - 1 - index]);
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** The first six and the last four digits of a number of 12 to 19, which is all of it that may be stored or logged. */
export function maskCardNumber(pan: string): string {
  return `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`;
}
