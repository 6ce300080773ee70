import { expect, test } from "vitest";
import { actionForm } from "./form-fields.ts";
import type { PageContext } from "./page-context.ts";
import { forgetVersions, isMadeFromAnother, seenVersion, sentVersion } from "./seen-version.ts";

/** The forms of a page with two records, one of which was sent and is shown again. */
function pageWith(form: URLSearchParams): string {
  const context = { form, formToken: "t", generateKey: () => "k" } as unknown as PageContext;
  return ["routes", "merchant"]
    .map((thing) => actionForm(context, { action: "/", button: "Save", values: seenVersion(7, thing) }).text)
    .join("");
}
const versionsIn = (text: string) =>
  [...text.matchAll(/name="(version[^"]*)" value="([^"]*)"/g)].map(([, name, value]) => `${name} ${value}`);

test("a form that is shown again is about the version that was seen, and the other forms of its page are not", () => {
  const sent = new URLSearchParams({ "version.routes": "3" });
  expect(versionsIn(pageWith(sent))).toEqual(["version.routes 3", "version.merchant 7"]);
  expect(isMadeFromAnother(sent, 7, "routes")).toBe(true);
  expect(isMadeFromAnother(sent, 3, "routes")).toBe(false);
});

test("after a refusal every form is about what there is now", () => {
  const sent = new URLSearchParams({ version: "1", "version.routes": "3", versions: "kept", name: "kept" });
  forgetVersions(sent);
  expect(sent.toString()).toBe("versions=kept&name=kept");
  expect(versionsIn(pageWith(sent))).toEqual(["version.routes 7", "version.merchant 7"]);
});

test("a request has the version of its own form, and none where the form has none", () => {
  const sent = new URLSearchParams({ version: "1", "version.routes": "0" });
  expect(sentVersion(sent)).toEqual({ version: 1 });
  expect(sentVersion(sent, "routes")).toEqual({ version: 0 });
  expect(sentVersion(sent, "merchant")).toEqual({});
});
