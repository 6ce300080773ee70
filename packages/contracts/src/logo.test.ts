import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readLogo } from "./logo.ts";

const svg = (content: string, image = 'viewBox="0 0 24 24"') => `<svg ${image}>${content}</svg>`;
const SQUARE = '<path d="M4 4h16v16H4z" fill="#7a1f5c"/>';

test("shapes are read with their attributes", () => {
  const content = `${SQUARE}<circle cx="12" cy="12" r="3.5" fill="none" fill-rule="evenodd" />
    <rect x="0" y="-1" width="4" height="4" rx="1"/><polygon points="0,0 4,4 0,4"/><ellipse cx="1" cy="1" rx="2" ry="3"/>`;
  const image = 'xmlns="http://www.w3.org/2000/svg" width="48" height="48px" viewBox="0 0 24 24.5"';
  expect(readLogo(`  ${svg(content, image)}\n`)).toEqual({
    box: "0 0 24 24.5",
    shapes: [
      { element: "path", attributes: { d: "M4 4h16v16H4z", fill: "#7a1f5c" } },
      {
        element: "circle",
        attributes: { cx: "12", cy: "12", r: "3.5", fill: "none", "fill-rule": "evenodd" },
      },
      { element: "rect", attributes: { x: "0", y: "-1", width: "4", height: "4", rx: "1" } },
      { element: "polygon", attributes: { points: "0,0 4,4 0,4" } },
      { element: "ellipse", attributes: { cx: "1", cy: "1", rx: "2", ry: "3" } },
    ],
  });
});

test.each([
  ["a script", svg("<script>steal()</script>")],
  ["a script behind a shape", svg(`${SQUARE}<script/>`)],
  ["a handler of the image", svg(SQUARE, 'viewBox="0 0 24 24" onload="steal()"')],
  ["a handler of a shape", svg('<path d="M0 0" onclick="steal()"/>')],
  ["a style", svg("<style>@import url(//evil.example)</style>")],
  ["a styled shape", svg('<path d="M0 0" style="fill:url(//evil.example)"/>')],
  ["a fill from elsewhere", svg('<path d="M0 0" fill="url(https://evil.example/a.svg#b)"/>')],
  ["an image", svg('<image href="https://evil.example/a.png"/>')],
  ["a use", svg('<use href="https://evil.example/a.svg#b"/>')],
  ["a link", svg(`<a href="javascript:steal()">${SQUARE}</a>`)],
  ["a foreign object", svg("<foreignObject><iframe/></foreignObject>")],
  ["an animation", svg('<animate attributeName="href"/>')],
  ["text", svg(`${SQUARE}hello`)],
  ["a comment", svg(`<!-- hello -->${SQUARE}`)],
  ["an entity", svg('<path d="&lt;"/>')],
  ["a declaration", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg(SQUARE)}`],
  ["two images", svg(SQUARE) + svg(SQUARE)],
  ["an image in an image", svg(svg(SQUARE))],
  ["a name with another case", svg('<PATH d="M0 0"/>')],
  ["a name that every object has", svg('<constructor d="M0 0"/>')],
  ["an attribute that every object has", svg('<path toString="M0 0"/>')],
  ["an attribute twice", svg('<path d="M0 0" d="M1 1"/>')],
  ["an attribute without quotes", svg("<path d=M0/>")],
  ["a shape that is not closed", svg('<path d="M0 0">')],
  ["no shape", svg("")],
  ["no view box", svg(SQUARE, 'width="24"')],
  ["a view box of nothing", svg(SQUARE, 'viewBox="0 0 0 24"')],
  ["a view box elsewhere", svg(SQUARE, 'viewBox="-5 0 24 24"')],
  ["65 shapes", svg(SQUARE.repeat(65))],
  ["no SVG", "\u0089PNG"],
])("%s is refused, and the fault repeats nothing of it", (_case, text) => {
  const fault = readLogo(text);
  expect(fault).toEqual(expect.stringMatching(/^must (be|have) /));
  expect(fault).not.toContain("evil");
});

test("whatever text it is, what is read has no character that begins or ends a tag, an attribute or an entity", () => {
  const piece = fc.constantFrom(
    "<svg ",
    'viewBox="0 0 1 1"',
    ">",
    "</svg>",
    "<path ",
    "<rect ",
    'd="M0 0"',
    'fill="#000"',
    "/>",
    '"',
    "<",
    "&",
    "'",
    " ",
    "on=",
    "script",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.string(), (pieces, noise) => {
      for (const text of [pieces.join(""), svg(pieces.join("")), svg(`<path d="${noise}"/>`), noise]) {
        const logo = readLogo(text);
        if (typeof logo === "string") continue;
        const values = logo.shapes.flatMap(({ attributes }) => Object.values(attributes));
        for (const value of [logo.box, ...values]) expect(value).not.toMatch(/[<>"'&]/);
      }
    }),
  );
});
