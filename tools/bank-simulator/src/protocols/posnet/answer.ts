import {
  encodeIso88599,
  LONG_SLIP,
  withControlCharacters,
  xmlOf,
  type Wire,
  type XmlValues,
} from "../../core/index.ts";
import type { Modes } from "./config.ts";

/** An answer before it is written. */
export type Answer = {
  /** `2`: the order was approved before. Empty if a fault leaves it out. */
  approved: "0" | "1" | "2" | "";
  /** The code of a refusal and the detail of its text; empty in an approval. */
  refusal: string;
  address: string;
  /** Empty if the answer has none. */
  hostLogKey: string;
  authCode: string;
  /** Further elements. */
  values: XmlValues;
  /** The name and the elements of a 3-D Secure block, which contains the MAC. */
  block?: { name: string; values: XmlValues };
  mac?: string | undefined;
  bendText?: (text: string) => string;
};

/** The texts of refusals. They end with the code, and are padded. */
function textOf(code: string, detail: string, address: string): string {
  const texts: Record<string, string> = {
    "0002": `org.xml.sax.SAXParseException: cvc-type.3.1.3: The value of element '${detail}' is not valid.`,
    "0003": `148 MID,TID,IP HATALI: ${address}`,
    "0015": detail || "PROVIZYON BULUNAMADI",
    "0127": "ORDERID DAHA ONCE KULLANILMIS",
    "0148": `INVALID MID TID IP. Hatalı IP:${address}`,
    "0150": `PAKET HATALI (${detail})`,
    E219: "KAYIT BULUNAMADI",
  };
  return `${texts[code] ?? "ISLEM YAPILAMADI"} ${code}`.padEnd(48);
}

function bodyOf(answer: Answer, modes: Modes): string {
  const { approved, hostLogKey, authCode, address, values, block, mac, bendText = (text) => text } = answer;
  const [code = "", detail = ""] = answer.refusal.split(" ");
  const padded = (text: string) => (modes.paddedValues ? `${text}   ` : text);
  const signature: XmlValues = mac === undefined ? {} : { mac };
  const response: XmlValues = {
    ...(approved && { approved: padded(approved) }),
    respCode: padded(code),
    respText: bendText(code === "" ? modes.successText : textOf(code, detail, address)),
    ...(["0148", "0003"].includes(code) && { yourIP: address }),
    ...(hostLogKey && { [modes.hostLogKeyCase ? "hostLogKey" : "hostlogkey"]: padded(hostLogKey) }),
    ...(authCode && { authCode: padded(authCode) }),
    ...values,
    ...(block ? { [block.name]: { ...block.values, ...signature } } : signature),
  };
  const declared = modes.encoding === "utf-16" ? "utf-16" : "iso-8859-9";
  const comment = modes.comments ? "<!-- XML Response --><!-- approved: 0, 1, 2 -->" : "";
  return `<?xml version="1.0" encoding="${declared}"?>${comment}${xmlOf({ posnetResponse: response })}`;
}

const contentType = "text/html; charset=utf-8";

/** The wire of the answers. They declare an encoding that they do not have. */
export function wireOf(modes: Modes): Wire<Answer> {
  return {
    write: (answer) => {
      const text = bodyOf(answer, modes);
      return {
        status: 200,
        contentType,
        body: modes.encoding === "iso-8859-9" ? encodeIso88599(text) : text,
      };
    },
    bend,
    garbage: { status: 200, contentType, body: "<posnetResponse><approved>1</approved><hostlog" },
    broken: { status: 500, contentType: "text/html", body: "<html><body>Error 500</body></html>" },
  };
}

function bend(answer: Answer, behaviour: string): Answer {
  switch (behaviour) {
    case "control_characters":
      return { ...answer, bendText: (text) => `\t\u007F\u00AD${text}. ${LONG_SLIP}\u00A0\t` };
    case "illegal_characters":
      return { ...answer, bendText: withControlCharacters };
    case "no_approved":
      return { ...answer, approved: "" };
    case "no_hostlogkey":
      return { ...answer, hostLogKey: "" };
    case "wrong_mac":
      return { ...answer, mac: answer.mac?.replace(/^./, (first) => (first === "A" ? "B" : "A")) };
    case "no_mac":
      return { ...answer, mac: undefined };
    default:
      return answer;
  }
}

/** An answer that approves nothing. */
export function refused(refusal: string, address: string): Answer {
  return { approved: "0", refusal, address, hostLogKey: "", authCode: "", values: {} };
}
