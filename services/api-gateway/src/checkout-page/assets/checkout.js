// Makes the page kinder; without it the same forms work. What is typed goes from the fields to one request and nowhere
// else: not into an address, not into any storage of the browser.
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

const form = document.getElementById("card-form");
if (form) useForm(form);
const waiting = document.querySelector("[data-poll]");
if (waiting) waitFor(waiting.dataset.poll);
const onward = document.querySelector("[data-onward]");
if (onward) setTimeout(() => location.replace(onward.dataset.onward), 2500);

function useForm(form) {
  const { pan, expiry, cvv, cardHolderName } = form.elements;
  const texts = JSON.parse(form.dataset.texts);
  const outcome = document.getElementById("outcome");
  let isSending = false;
  form.noValidate = true;
  if (!outcome.hidden) outcome.focus();

  const checks = {
    pan: () => numberFault(pan.value),
    cardHolderName: () => nameFault(cardHolderName.value),
    expiry: () => expiryFault(expiry.value, new Date()),
    cvv: () => cvvFault(cvv.value, pan.value),
  };
  const showFault = (name, fault) => {
    const place = document.getElementById(`${name}-fault`);
    if (!place) return;
    place.textContent = fault ? (texts.faults[fault] ?? texts.faults[`${name}.invalid`] ?? "") : "";
    const field = form.elements[name];
    if (!(field instanceof HTMLElement)) return;
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
  const showAlert = (heading, text) => {
    outcome.replaceChildren();
    for (const [line, className] of [
      [heading, "alert-heading"],
      [text, ""],
    ]) {
      if (!line) continue;
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      paragraph.className = className;
      outcome.append(paragraph);
    }
    outcome.hidden = false;
    outcome.focus();
  };

  formatAsTyped(pan, formatNumber);
  formatAsTyped(expiry, formatExpiry);
  formatAsTyped(cvv, (text) => digitsOf(text).slice(0, 4));
  // What is pressed must not move away from under the finger, as it would when a fault appears above it.
  let isPressing = false;
  form.addEventListener("pointerdown", () => (isPressing = true));
  for (const ended of ["pointerup", "pointercancel"]) addEventListener(ended, () => (isPressing = false));
  for (const [name, check] of Object.entries(checks)) {
    // On leaving a field, not while it is being typed; a fault goes away as soon as it is mended.
    form.elements[name].addEventListener("blur", () => {
      if (!isPressing && form.elements[name].value !== "") showFault(name, check());
    });
    form.elements[name].addEventListener("input", () => {
      if (form.elements[name].hasAttribute("aria-invalid") && !check()) showFault(name, undefined);
    });
  }
  const card = showCardAsTyped(form, pan);
  showDeadline(form, () => isSending);

  const button = document.getElementById("pay");
  const status = document.getElementById("status");
  const setSending = (sending) => {
    isSending = sending;
    button.setAttribute("aria-disabled", String(sending));
    button.textContent = sending ? texts.paying : texts.pay;
    status.textContent = sending ? texts.payingStatus : "";
  };
  // From the back of the browser's cache the form comes as it was left.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // The second click of two: the first one's request is on its way.
    if (isSending) return;
    const faults = Object.values(checks)
      .map((check) => check())
      .filter(Boolean);
    if (faults.length > 0) return showFaults(faults);
    outcome.hidden = true;
    setSending(true);
    try {
      await card.settled();
      const answer = await send(form);
      if (answer.next) return location.assign(answer.next);
      if (answer.form) {
        form.elements.paymentId.value = answer.form.paymentId;
        form.elements.token.value = answer.form.token;
      }
      setSending(false);
      if (answer.faults) return showFaults(answer.faults);
      cvv.value = "";
      showAlert(answer.heading, answer.text);
    } catch {
      // Whether it arrived is not known. The form stays the same form: sent again it is the same payment.
      setSending(false);
      showAlert("", texts.faults["form.busy"]);
    }
  });

  function showFaults(faults) {
    for (const name of ["pan", "cardHolderName", "expiry", "cvv", "installmentCount"]) {
      showFault(
        name,
        faults.find((fault) => fault.startsWith(`${name}.`)),
      );
    }
    const first = form.querySelector("[aria-invalid]");
    const ofForm = faults.find((fault) => fault.startsWith("form."));
    showAlert("", ofForm ? texts.faults[ofForm] : texts.checkFields);
    first?.focus();
  }
}

/** One answer of the server, for a form that is sent by script. */
async function send(form) {
  const response = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
    redirect: "error",
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

/** The scheme beside the number, and the installments its bank allows. */
function showCardAsTyped(form, pan) {
  const scheme = document.getElementById("scheme");
  const installments = document.getElementById("installments");
  let asked = "";
  let asking = Promise.resolve();
  const show = (choices) => {
    const hint = document.getElementById("installments-hint");
    const chosen = form.elements.installmentCount.value;
    const labels = choices.map(({ count, label }) => {
      const input = document.createElement("input");
      Object.assign(input, {
        type: "radio",
        name: "installmentCount",
        value: count,
        checked: String(count) === chosen,
      });
      const text = document.createElement("span");
      text.textContent = label;
      const element = document.createElement("label");
      element.className = "choice";
      element.append(input, text);
      return element;
    });
    for (const old of installments.querySelectorAll(".choice")) old.remove();
    hint.before(...labels);
    if (!installments.querySelector(":checked")) installments.querySelector("input").checked = true;
  };
  const onlyAtOnce = installments && [...installments.querySelectorAll(".choice")][0]?.textContent;
  const hint = document.getElementById("installments-hint");
  if (installments) show([{ count: 1, label: onlyAtOnce }]);

  const look = () => {
    const digits = digitsOf(pan.value);
    scheme.textContent = schemeOf(digits).label;
    if (!installments) return;
    // Eight digits are a BIN and no card number; fewer than six tell nothing.
    const bin = digits.length >= 8 ? digits.slice(0, 8) : "";
    if (bin === asked) return;
    asked = bin;
    asking =
      bin === "" ? Promise.resolve({ installments: [{ count: 1, label: onlyAtOnce }] }) : ask(form, bin);
    asking.then(
      (answer) => {
        if (bin !== asked || !answer.installments) return;
        show(answer.installments);
        hint.hidden = bin !== "";
      },
      // It can be paid at once all the same; the next digit asks again.
      () => (asked = ""),
    );
  };
  pan.addEventListener("input", look);
  pan.addEventListener("change", look);
  // The browser may have filled it in already.
  look();
  return { settled: () => asking.catch(() => undefined) };
}

async function ask(form, bin) {
  const { paymentId, token } = form.elements;
  const body = new URLSearchParams({ bin, paymentId: paymentId.value, token: token.value });
  const response = await fetch(form.dataset.cardPath, { method: "POST", body, redirect: "error" });
  if (!response.ok) throw new Error(String(response.status));
  return await response.json();
}

/** Until when, by the buyer's watch; then the page shows that it is over. */
function showDeadline(form, isSending) {
  const expiresAt = Date.parse(form.dataset.expiresAt);
  const time = document.getElementById("open-until");
  time.textContent = new Intl.DateTimeFormat(time.dataset.locale, {
    hour: "2-digit",
    minute: "2-digit",
  }).format(expiresAt);
  time.parentElement.hidden = false;
  const look = () => {
    const leftMs = expiresAt - Date.now();
    // A payment that is on its way brings its own end.
    if (leftMs <= 0 && !isSending()) return location.reload();
    setTimeout(look, Math.max(1000, Math.min(leftMs + 500, 30_000)));
  };
  if (expiresAt > Date.now()) look();
}

/** Asks how it stands, ever more rarely, and loads the page anew when that has changed. */
async function waitFor(path, afterMs = 1000) {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  try {
    const { isUnderWay } = await (await fetch(path, { headers: { Accept: "application/json" } })).json();
    if (isUnderWay === false) return location.reload();
  } catch {
    // The next look may succeed.
  }
  await waitFor(path, Math.min(afterMs * 1.5, 10_000));
}
