import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { challengeForm, challengePolicy } from "./challenge-form.ts";

const texts = { language: "en", button: "Continue" };
const HOSTILE = `"><script>alert('x')</script>&`;

test("what the acquirer says is text in the page, whatever it is", () => {
  const page = challengeForm(
    { url: `https://acs.example/?a=${HOSTILE}`, fields: { [HOSTILE]: HOSTILE, creq: "abc" } },
    { ...texts, button: HOSTILE },
  );
  expect(page.match(/<script>/g)).toHaveLength(1);
  expect(page.match(/<input/g)).toHaveLength(2);
  expect(page).not.toContain("alert('x')");
  expect(page).toContain('<input type="hidden" name="creq" value="abc">');
});

test("the policy allows the page's one script and no other", () => {
  const page = challengeForm({ url: "https://acs.example/", fields: {} }, texts);
  const script = /<script>(.*)<\/script>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = challengePolicy({ url: "https://acs.example/" });
  expect(policy).toContain(`script-src 'sha256-${hash}';`);
  expect(policy).not.toContain("unsafe-inline");
});

test("the form may go to the issuer, and on from there by https", () => {
  expect(challengePolicy({ url: "https://acs.example/challenge" })).toContain("form-action https:;");
  expect(challengePolicy({ url: "http://127.0.0.1:8083/acs" })).toContain(
    "form-action https: http://127.0.0.1:8083;",
  );
});
