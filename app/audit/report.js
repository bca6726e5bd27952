"use strict";
// Filters by verdict and text; without them the report is complete as it stands.
(() => {
  const events = [...document.querySelectorAll(".event")];
  const buttons = [...document.querySelectorAll(".filters button")];
  const search = document.querySelector(".filters input");
  const nothing = document.querySelector(".nothing-left");
  let verdict = "";
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const event of events) {
      const text = event.textContent.toLowerCase();
      const fits = (!verdict || event.dataset.verdict === verdict) && words.every((word) => text.includes(word));
      event.hidden = !fits;
      left += fits;
    }
    nothing.hidden = left > 0;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === verdict));
  };
  for (const button of buttons) {
    button.addEventListener("click", () => { verdict = button.value === verdict ? "" : button.value; show(); });
  }
  search.addEventListener("input", show);
  // A link from the timeline must lead to a hand that is shown, and open what is folded for printing.
  addEventListener("hashchange", () => {
    const target = document.querySelector(location.hash || "none");
    if (target && target.hidden) { verdict = ""; search.value = ""; show(); target.scrollIntoView(); }
  });
  addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
  for (const picture of document.querySelectorAll(".picture button")) {
    picture.addEventListener("click", () => picture.closest(".event").classList.toggle("wide"));
  }
  document.querySelector(".filters").hidden = false;
  show();
})();
