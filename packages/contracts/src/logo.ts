/**
 * A merchant's logo: an SVG image of plain shapes. Our own grammar reads it and knows only these shapes, so
 * it cannot contain a script, style, link, entity or foreign element. Pages draw the parsed shapes and never
 * the text.
 */

/** `box` is the image's view box; each shape has only the attributes that {@link SHAPES} gives it. */
export type Logo = { box: string; shapes: LogoShape[] };
export type LogoShape = { element: ShapeElement; attributes: Record<string, string> };
type ShapeElement = keyof typeof SHAPES;

const NUMBER = /^-?\d{1,6}(?:\.\d{1,6})?$/;
const PATH = /^[MmLlHhVvCcSsQqTtAaZz\d.,eE+\-\s]{1,6000}$/;
const POINTS = /^[\d.,\-\s]{1,6000}$/;
const SHAPES = {
  path: { d: PATH },
  rect: { x: NUMBER, y: NUMBER, width: NUMBER, height: NUMBER, rx: NUMBER, ry: NUMBER },
  circle: { cx: NUMBER, cy: NUMBER, r: NUMBER },
  ellipse: { cx: NUMBER, cy: NUMBER, rx: NUMBER, ry: NUMBER },
  polygon: { points: POINTS },
} as const satisfies Record<string, Record<string, RegExp>>;
const OF_EVERY_SHAPE: Record<string, RegExp> = {
  fill: /^(?:none|#[\da-fA-F]{3}|#[\da-fA-F]{6})$/,
  "fill-rule": /^(?:evenodd|nonzero)$/,
};
const OF_THE_IMAGE: Record<string, RegExp> = {
  xmlns: /^http:\/\/www\.w3\.org\/2000\/svg$/,
  viewBox: /^0 0 (?!0+(?:\.0+)? )\d{1,5}(?:\.\d{1,4})? (?!0+(?:\.0+)?$)\d{1,5}(?:\.\d{1,4})?$/,
  width: /^\d{1,5}(?:\.\d{1,4})?(?:px)?$/,
  height: /^\d{1,5}(?:\.\d{1,4})?(?:px)?$/,
};
const SHAPES_MAX = 64;
const CLOSING = "</svg>";

/** @returns the logo, or the text's fault as a message. */
export function readLogo(text: string): Logo | string {
  const trimmed = text.trim();
  const [opening, attributes = ""] = /^<svg\s([^<>]*)>/.exec(trimmed) ?? [];
  if (opening === undefined || !trimmed.endsWith(CLOSING)) return "must be one svg element";
  const image = readAttributes(attributes, OF_THE_IMAGE);
  if (typeof image === "string") return `must have ${image} in svg`;
  const box = image["viewBox"];
  if (box === undefined) return "must have a viewBox that begins with 0 0";
  const shapes = readShapes(trimmed.slice(opening.length, -CLOSING.length));
  return typeof shapes === "string" ? shapes : { box, shapes };
}

function readShapes(text: string): LogoShape[] | string {
  const pieces = text.split("<").map((piece) => piece.trim());
  if (pieces[0] !== "") return "must have nothing but shapes in svg";
  if (pieces.length === 1 || pieces.length - 1 > SHAPES_MAX) return `must have 1 to ${SHAPES_MAX} shapes`;
  const shapes: LogoShape[] = [];
  for (const piece of pieces.slice(1)) {
    const [, element = ""] = /^([a-z]+)\s/.exec(piece) ?? [];
    if (!isShape(element) || !piece.endsWith("/>"))
      return `must have only ${Object.keys(SHAPES).join(", ")}, each closed by />`;
    const attributes = readAttributes(piece.slice(element.length, -"/>".length), {
      ...SHAPES[element],
      ...OF_EVERY_SHAPE,
    });
    if (typeof attributes === "string") return `must have ${attributes} in ${element}`;
    shapes.push({ element, attributes });
  }
  return shapes;
}

function isShape(element: string): element is ShapeElement {
  return Object.hasOwn(SHAPES, element);
}

/** @returns the attributes by name, or the message of their fault. */
function readAttributes(text: string, allowed: Record<string, RegExp>): Record<string, string> | string {
  const attributes: Record<string, string> = {};
  const only = `only ${Object.keys(allowed).join(", ")}`;
  let left = text.trim();
  while (left !== "") {
    const [all, name = "", value = ""] = /^([a-zA-Z-]+)="([^"<>&]*)"(?:\s+|$)/.exec(left) ?? [];
    if (all === undefined || !Object.hasOwn(allowed, name) || Object.hasOwn(attributes, name)) return only;
    if (!allowed[name]!.test(value)) return `another value of ${name}`;
    attributes[name] = value;
    left = left.slice(all.length);
  }
  return attributes;
}
