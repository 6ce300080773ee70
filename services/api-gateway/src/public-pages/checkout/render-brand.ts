import { darkAccent, lightAccent, readLogo, type Accent, type Branding } from "@holdfast/contracts";
import { drawLogo, html, type Html } from "@holdfast/html";

/**
 * The difference of a merchant's pages from ours: the colour of pressed and marked parts, and a logo. It adds one style
 * of a known form and one drawing of known shapes to a page, so that `npm run page-integrity` knows both.
 */

/** The merchant's colour on light and on dark screens. Nothing in it is a text of anybody's but hexadecimal digits. */
export function renderBrandStyle({ color }: Branding, nonce: string): Html | undefined {
  if (color === undefined || !/^#[0-9a-f]{6}$/.test(color)) return undefined;
  const dark = `@media (prefers-color-scheme:dark){${rootOf(darkAccent(color))}}`;
  return html`<style nonce="${nonce}">
    ${rootOf(lightAccent(color))}${dark}
  </style>`;
}

function rootOf({ accent, accentDark, onAccent }: Accent): string {
  return `:root{--accent:${accent};--accent-dark:${accentDark};--on-accent:${onAccent}}`;
}

/** The only style that a merchant's page may add, as it is sent. */
const ROOT = ":root\\{--accent:#[0-9a-f]{6};--accent-dark:#[0-9a-f]{6};--on-accent:#[0-9a-f]{6}\\}";
const BRAND_STYLE = new RegExp(
  `<style nonce="([A-Za-z0-9+/]{22}==)">\\s*${ROOT}@media \\(prefers-color-scheme:dark\\)\\{${ROOT}\\}\\s*</style>`,
);

/**
 * The page without its merchant's colour, and with a letter in place of the logo. Only a style and a drawing
 * exactly as they are written here, with this nonce, are replaced: any other style or drawing, or a second
 * one, stays.
 */
export function withoutBranding(page: string, nonce: string | undefined): string {
  const plain = page.replace(BRAND_LOGO, (drawn, box: string, shapes: string) =>
    typeof readLogo(`<svg viewBox="${box}">${shapes}</svg>`) === "string" ? drawn : MONOGRAM,
  );
  const found = BRAND_STYLE.exec(plain);
  if (!found || found[1] !== nonce) return plain;
  return plain.slice(0, found.index) + plain.slice(found.index + found[0].length);
}

const BRAND_LOGO =
  /<svg class="brand-logo" viewBox="([^"<>]*)" aria-hidden="true" focusable="false">((?:\s*<[a-z]+ [^<>]*\/>)*)\s*<\/svg>/;
const MONOGRAM = '<span class="monogram" aria-hidden="true">L</span>';

/**
 * The logo is drawn from its shapes on a light plate, for which it was made, in both themes. The name beside
 * it identifies the merchant.
 */
export function renderLogo({ logo: text }: Branding): Html | undefined {
  const logo = text === undefined ? undefined : readLogo(text);
  if (logo === undefined || typeof logo === "string") return undefined;
  return drawLogo(logo);
}
