import type { SandboxFile } from "@holdfast/sandbox";
import { open, send, type Page } from "./follow-forms.ts";
import { preAuthorization } from "./running-sandbox.ts";
import type { ShopAtBank } from "./shop-at-bank.ts";

/** The merchant's own request of a sale with 3-D Secure; without a `redirectUrl` there is no challenge to pass. */
export type Enrolled = { paymentId: string; status: string; redirectUrl?: string };

const CHALLENGED = "4000000000003220";

export async function enrol(shop: ShopAtBank): Promise<Enrolled> {
  const { body } = await shop.api("POST", "/api/3ds", {
    ...preAuthorization({ pan: CHALLENGED }),
    successUrl: "https://shop.example/yes",
    failureUrl: "https://shop.example/no",
  });
  return body;
}

/** Follows every form up to the one that takes the browser back to us, which is not sent yet. */
export async function passChallenge(
  { publicUrl }: Pick<SandboxFile, "publicUrl">,
  redirectUrl: string,
  code = "123456",
): Promise<Page> {
  let page = await open(redirectUrl);
  for (let forms = 0; !page.html.includes(`action="${publicUrl}/3ds/return`) && forms < 5; forms++) {
    page = await send(page, page.html.includes('name="code"') ? { code, answer: "submit" } : {});
  }
  return page;
}
