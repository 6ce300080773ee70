/** A request and its answer, as the demo prints them. Bodies are parsed. */
export type Exchange = {
  who: string;
  method: string;
  path: string;
  body?: object | undefined;
  status: number;
  answer: object;
};

/** Prints both together, so that nothing that arrives meanwhile comes between them. */
export function printExchange(print: (text: string) => void, exchange: Exchange): void {
  const { who, method, path, body, status, answer } = exchange;
  const sent = `\n${who} -> ${method} ${path}\n${body === undefined ? "" : show(body)}`;
  print(`${sent}${who} <- ${status}\n${show(answer)}`);
}

/** Shows a body as JSON without secrets, and cards with their ends only. */
function show(body: object): string {
  const text = JSON.stringify(
    body,
    (name, value: unknown) => {
      if (SECRETS.has(name)) return "…";
      return name === "pan" && typeof value === "string" ? masked(value) : value;
    },
    2,
  );
  return `${text.replaceAll(/^/gm, "    ")}\n`;
}

const SECRETS = new Set(["apiSecret", "secret", "cvv"]);

function masked(pan: string): string {
  return pan.slice(0, 6) + "*".repeat(Math.max(0, pan.length - 10)) + pan.slice(-4);
}
