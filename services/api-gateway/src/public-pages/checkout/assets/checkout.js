// Makes the page more comfortable; without it the same forms work. Card data goes from the fields to one request and
// nowhere else: not into an address, not into any storage of the browser.
import {
  cvvFault,
  digitsOf,
  expiryFault,
  formatExpiry,
  formatNumber,
  nameFault,
  numberFault,
  schemeOf,
} from "./card-number.js";
import { writeDeadline } from "./deadline.js";
import { showReceipt } from "./receipt.js";

const form = document.getElementById("card-form");
if (form) useForm(form);
const waiting = document.querySelector("[data-poll]");
if (waiting) void waitFor(waiting.dataset.poll);
const onward = document.querySelector("[data-onward]");
if (onward) setTimeout(() => location.replace(onward.dataset.onward), 2500);
showReceipt();

function useForm(form) {
  const { pan, expiry, cvv } = form.elements;
  const texts = JSON.parse(form.dataset.texts);
  const faults = showFaultsOf(form, texts);
  form.noValidate = true;
  faults.focusOutcome();
  formatAsTyped(pan, formatNumber);
  formatAsTyped(expiry, formatExpiry);
  formatAsTyped(cvv, (text) => digitsOf(text).slice(0, 4));
  const card = showCardAsTyped(form, pan);
  const sending = showSending(texts);
  showDeadline(form, sending.isSending);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // A second click: the request of the first one is on its way.
    if (sending.isSending()) return;
    const found = faults.check();
    if (found.length > 0) return faults.show(found);
    faults.clear();
    sending.set(true);
    const chosen = form.elements.installmentCount?.value;
    try {
      await card.settled();
      const present = form.elements.installmentCount?.value;
      if (present !== chosen) {
        sending.set(false);
        const fault = Number.parseInt(present, 10) === Number.parseInt(chosen, 10) ? "price" : "invalid";
        return faults.show([`installmentCount.${fault}`]);
      }
      const answer = await send(form);
      if (answer.next) return location.assign(answer.next);
      Object.entries(answer.form ?? {}).forEach(([name, value]) => (form.elements[name].value = value));
      sending.set(false);
      if (answer.faults?.includes("installmentCount.price")) await card.look(true);
      if (answer.faults) return faults.show(answer.faults);
      if (!answer.text) throw new Error("no answer of this page's server");
      cvv.value = "";
      faults.tell(answer.heading, answer.text);
    } catch {
      // It is unknown whether the request arrived. The form stays the same: sent again, it is the same payment.
      sending.set(false);
      faults.tell("", texts.faults["form.unsure"]);
    }
  });
  // The browser's cache of pages would show the form as it was left, and its checkout may have ended.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}

/** Shows faults beside their fields, and those of the whole form above it. Screen readers announce both. */
function showFaultsOf(form, texts) {
  const { pan, cardHolderName, expiry, cvv } = form.elements;
  const outcome = document.getElementById("outcome");
  const checks = {
    pan: () => numberFault(pan.value),
    cardHolderName: () => nameFault(cardHolderName.value),
    expiry: () => expiryFault(expiry.value, new Date()),
    cvv: () => cvvFault(cvv.value, pan.value),
  };
  const mark = (name, fault) => {
    const place = document.getElementById(`${name}-fault`);
    if (!place) return;
    place.textContent = fault ? (texts.faults[fault] ?? texts.faults[`${name}.invalid`] ?? "") : "";
    const field = form.elements[name];
    if (!(field instanceof HTMLElement)) return;
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
  const tell = (heading, text) => {
    const lines = [
      [heading, "alert-heading"],
      [text, ""],
    ].filter(([line]) => line);
    outcome.replaceChildren(
      ...lines.map(([line, className]) =>
        Object.assign(document.createElement("p"), { textContent: line, className }),
      ),
    );
    outcome.hidden = false;
    outcome.focus();
  };
  checkOnLeaving(form, checks, mark);
  return {
    check: () => Object.values(checks).flatMap((check) => check() ?? []),
    show(faults) {
      for (const name of [...Object.keys(checks), "installmentCount"]) {
        mark(
          name,
          faults.find((fault) => fault.startsWith(`${name}.`)),
        );
      }
      const ofForm = faults.find((fault) => fault.startsWith("form."));
      tell("", ofForm ? texts.faults[ofForm] : texts.checkFields);
      form.querySelector("[aria-invalid]")?.focus();
    },
    tell,
    clear: () => (outcome.hidden = true),
    focusOutcome: () => !outcome.hidden && outcome.focus(),
  };
}

/** Checks a field when the buyer leaves it, not while typing. A fault goes away as soon as it is corrected. */
function checkOnLeaving(form, checks, mark) {
  // A button must not move away from under the finger, as it would when a fault appears above it.
  let isPressing = false;
  form.addEventListener("pointerdown", () => (isPressing = true));
  for (const ended of ["pointerup", "pointercancel"]) addEventListener(ended, () => (isPressing = false));
  for (const [name, check] of Object.entries(checks)) {
    const field = form.elements[name];
    field.addEventListener("blur", () => {
      if (!isPressing && field.value !== "") mark(name, check());
    });
    field.addEventListener("input", () => {
      if (field.hasAttribute("aria-invalid") && !check()) mark(name, undefined);
    });
  }
}

function showSending(texts) {
  const button = document.getElementById("pay");
  const status = document.getElementById("status");
  let isSending = false;
  return {
    isSending: () => isSending,
    set(sending) {
      isSending = sending;
      button.setAttribute("aria-disabled", String(sending));
      button.textContent = sending ? texts.paying : texts.pay;
      status.textContent = sending ? texts.payingStatus : "";
    },
  };
}

/** Sends a form by script, with what a bank may ask of the browser in 3-D Secure. @returns the answer of the server. */
async function send(form) {
  const body = new URLSearchParams(new FormData(form));
  body.set("browser", [screen.colorDepth, screen.height, screen.width, new Date().getTimezoneOffset()]);
  const response = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "application/json" },
    body,
    redirect: "error",
    // This is longer than the server takes for an answer.
    signal: AbortSignal.timeout(30_000),
  });
  return await response.json();
}

/** Rewrites a field as it is typed and keeps the cursor where it was among the characters that count. */
function formatAsTyped(field, format) {
  field.addEventListener("input", (event) => {
    const isDeleting = event.inputType?.startsWith("delete") ?? false;
    const before = digitsOf(field.value.slice(0, field.selectionStart ?? field.value.length)).length;
    const isAtEnd = field.selectionStart === field.value.length;
    const text = format(field.value, isDeleting);
    if (text === field.value) return;
    field.value = text;
    if (isAtEnd) return;
    let at = 0;
    for (let digits = 0; at < text.length && digits < before; at++) if (/\d/.test(text[at])) digits++;
    field.setSelectionRange(at, at);
  });
}

/** Shows the scheme beside the number, and the installments that the card's bank allows. */
function showCardAsTyped(form, pan) {
  const scheme = document.getElementById("scheme");
  const installments = document.getElementById("installments");
  const hint = document.getElementById("installments-hint");
  let asked = "";
  let asking = Promise.resolve();
  const show = (choices) => {
    // Behind the number of a choice stands its total, which may be another one now.
    const chosen = Number.parseInt(form.elements.installmentCount.value, 10);
    const make = (tag, facts) => Object.assign(document.createElement(tag), facts);
    const labels = choices.map(({ count, value = count, label, detail }) => {
      const checked = count === chosen;
      const element = make("label", { className: "choice" });
      element.append(make("input", { type: "radio", name: "installmentCount", value, checked }));
      element.append(make("span", { textContent: label }));
      if (detail) element.append(make("span", { className: "detail", textContent: detail }));
      return element;
    });
    for (const old of installments.querySelectorAll(".choice")) old.remove();
    hint.before(...labels);
    if (!installments.querySelector(":checked")) installments.querySelector("input").checked = true;
  };
  const onlyAtOnce = installments?.querySelector(".choice").textContent;
  if (installments) show([{ count: 1, label: onlyAtOnce }]);

  // Prices may have changed since a card was looked up: then it is asked about again.
  const look = async (again) => {
    const digits = digitsOf(pan.value);
    scheme.textContent = schemeOf(digits).label;
    if (!installments) return;
    // Eight digits are a BIN and no card number; fewer than six say nothing.
    const bin = digits.length >= 8 ? digits.slice(0, 8) : "";
    if (bin === asked && again !== true) return;
    asked = bin;
    asking =
      bin === "" ? Promise.resolve({ installments: [{ count: 1, label: onlyAtOnce }] }) : ask(form, bin);
    await showAnswer(bin);
  };
  const showAnswer = async (bin) => {
    try {
      const answer = await asking;
      if (bin !== asked || !answer.installments) return;
      show(answer.installments);
      hint.hidden = bin !== "";
    } catch {
      // The buyer can still pay in full; the next digit asks again.
      asked = "";
    }
  };
  pan.addEventListener("input", look);
  pan.addEventListener("change", look);
  // The browser may have filled the field in already.
  void look();
  return { look, settled: () => asking.catch(() => undefined) };
}

async function ask(form, bin) {
  const { paymentId, token } = form.elements;
  const body = new URLSearchParams({ bin, paymentId: paymentId.value, token: token.value });
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(form.dataset.cardPath, { method: "POST", body, redirect: "error", signal });
  if (!response.ok) throw new Error(String(response.status));
  return await response.json();
}

/** Says until when the page can be used, by the buyer's clock; then that it is over. */
function showDeadline(form, isSending) {
  const expiresAt = Date.parse(form.dataset.expiresAt);
  const time = document.getElementById("open-until");
  const writeIt = () => (time.textContent = writeDeadline(expiresAt, Date.now(), time.dataset.locale));
  const look = () => {
    const leftMs = expiresAt - Date.now();
    // A payment that is on its way answers by itself.
    if (leftMs <= 0 && !isSending()) return location.reload();
    // Midnight may have made tomorrow today.
    writeIt();
    setTimeout(look, Math.max(1000, Math.min(leftMs + 500, 30_000)));
  };
  writeIt();
  if (expiresAt > Date.now()) look();
}

/** Asks for the state, less and less often, and reloads the page when it has changed. */
async function waitFor(path, afterMs = 1000) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const { isUnderWay } = await (await fetch(path, { headers: { Accept: "application/json" } })).json();
    if (isUnderWay === false) return location.reload();
  } catch {
    // The next request may succeed.
  }
  await waitFor(path, Math.min(afterMs * 1.5, 10_000));
}
