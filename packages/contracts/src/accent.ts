/**
 * A merchant's colour on its pages, for light and dark screens. Contrast is defined by WCAG 2.2: text needs
 * 4.5 to 1 (1.4.3). All functions are pure.
 */

/** The colour, its darker variant under a pointer, and the colour of text on it, all as `#rrggbb`. */
export type Accent = { accent: string; accentDark: string; onAccent: string };

/** True if white text can be read on the colour. @param colour `#rrggbb`. */
export function isReadableAccent(colour: string): boolean {
  return contrast(colour, WHITE) >= TEXT_CONTRAST;
}

/** The colour as it was chosen, with white on it, for light screens. */
export function lightAccent(colour: string): Accent {
  return { accent: colour, accentDark: mixed(colour, INK, 0.25), onAccent: WHITE };
}

/** The least lightened colour with enough contrast for text on a dark page, with dark text on it. */
export function darkAccent(colour: string): Accent {
  const accent = steps()
    .map((share) => mixed(colour, WHITE, share))
    .find((each) => contrast(each, DARK_PAPER) >= TEXT_CONTRAST);
  const found = accent ?? WHITE;
  return { accent: found, accentDark: mixed(found, WHITE, 0.3), onAccent: INK };
}

/** The shares of white to try, from the colour itself to white. */
function steps(): number[] {
  return Array.from({ length: 41 }, (_, index) => index / 40);
}

const TEXT_CONTRAST = 4.5;
const WHITE = "#ffffff";
/** The surface of cards in the pages' dark theme, which is lighter than the ground behind them. */
const DARK_PAPER = "#1a222b";
const INK = "#10161c";

/** The contrast ratio of two colours in either order, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance of sRGB (WCAG 2.2), 0 to 1. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mixed(colour: string, into: string, share: number): string {
  const others = channels(into);
  const values = channels(colour).map((value, index) => Math.round(value + (others[index]! - value) * share));
  return `#${values.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
