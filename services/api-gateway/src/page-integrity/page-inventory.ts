/**
 * The reasons for each script and each style that a buyer's browser gets (PCI DSS 6.4.3).
 * `docs/page-scripts.md` is generated from it; a file without a reason, or a reason without its file, fails
 * the generation and a test.
 */

/** The reason for each file under `public-pages/checkout/assets`. */
export const ASSET_REASONS: Record<string, string> = {
  "card-number.js":
    "Groups the digits of the card number as they are typed, and immediately says what is wrong with the number, the expiry, the security code or the name, so that a typing error costs the buyer no attempt. It reads the fields of the card form and sends nothing.",
  "checkout.js":
    "Sends the card form to the page's own server without a reload, with the screen's size and the time zone, which 3-D Secure asks for, asks it which installments a card's first 6 to 8 digits allow, shows faults and declines, waits for an outcome that is not known yet, and goes on to the shop or to the bank's challenge. It keeps nothing in the browser. Without it the same forms work by themselves.",
  "deadline.js":
    "Writes until when the page can be used, with the date where it is not today, in the buyer's time zone. It reads nothing of the form and sends nothing.",
  "receipt.js":
    "Writes the time of a payment in the buyer's time zone on the page of the result, and prints that page when the buyer asks for it. It reads nothing of the form and sends nothing.",
  "checkout.css":
    "How the page looks, on a telephone and on a desk; the colours and the type of all our pages come before it. It loads no image and no font. A merchant's own colour comes behind it, as six colours in a `style` of the page with the nonce; any other text in there is a difference.",
};

export const SEND_AGAIN_REASON =
  "Sends what the browser brought back from the bank once more, after a moment, where it could not be looked at yet.";

export const CHALLENGE_REASON =
  "Submits the form that takes the buyer to the bank's 3-D Secure challenge. The page has no card data.";
