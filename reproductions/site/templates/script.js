// Switches language and appearance; without it the page is in English, as the system likes it.
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search);
  const remember = (name, value) => {
    try { localStorage.setItem("aleplot-" + name, value); } catch { /* storage may be forbidden */ }
  };
  const recall = (name) => {
    try { return localStorage.getItem("aleplot-" + name); } catch { return null; }
  };
  const press = (name, value) => {
    for (const button of document.querySelectorAll(`button[data-${name}]`)) {
      button.setAttribute("aria-pressed", String(button.dataset[name] === value));
    }
  };

  function language(code) {
    root.lang = code;
    root.dir = code === "fa" ? "rtl" : "ltr";
    for (const image of document.querySelectorAll("img[data-en]")) {
      image.src = image.dataset[code];
      // A thumbnail stands beside the words that it would say.
      image.alt = image.getAttribute("data-alt-" + code) ?? "";
    }
    for (const named of document.querySelectorAll("[data-label-en]")) {
      named.setAttribute("aria-label", named.getAttribute("data-label-" + code));
    }
    document.title = root.getAttribute("data-title-" + code);
    press("language", code);
    remember("language", code);
  }

  function theme(name) {
    root.dataset.theme = name;
    press("theme", name);
    remember("theme", name);
  }

  const known = (name, value) => document.querySelector(`button[data-${name}="${value}"]`) && value;
  const spoken = (navigator.language || "en").slice(0, 2);
  language(known("language", asked.get("lang")) || known("language", recall("language"))
    || known("language", spoken) || "en");
  theme(known("theme", asked.get("theme")) || known("theme", recall("theme")) || "auto");

  const search = document.querySelector(".search");
  if (search) {
    const entries = [...document.querySelectorAll(".index li")];
    // Words of every language, with letters that are written in several ways made one.
    const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
      .replace(/ı/g, "i").replace(/[ي]/g, "ی").replace(/[ك]/g, "ک").replace(/\u200c/g, " ");
    const found = entries.map((entry) => plain(entry.textContent + entry.innerHTML));
    search.hidden = false;
    search.querySelector("input").addEventListener("input", (event) => {
      const wanted = plain(event.target.value).split(/\s+/);
      entries.forEach((entry, i) => { entry.hidden = !wanted.every((w) => found[i].includes(w)); });
      search.querySelector("output").textContent = new Intl.NumberFormat(root.lang)
        .format(entries.filter((entry) => !entry.hidden).length);
    });
  }

  const dialog = document.querySelector("dialog");
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-language], button[data-theme]");
    if (button?.dataset.language) language(button.dataset.language);
    if (button?.dataset.theme) theme(button.dataset.theme);
    const picture = event.target.closest(".plate a");
    if (picture && !event.ctrlKey && !event.metaKey && !event.shiftKey && dialog.showModal) {
      event.preventDefault();
      const small = picture.querySelector("img"), large = dialog.querySelector("img");
      large.src = small.src;
      large.alt = small.alt;
      dialog.setAttribute("aria-label", picture.getAttribute("aria-label"));
      dialog.showModal();
      // The vector picture, which is in English only and only where the figures were made.
      if (root.lang === "en") {
        const vector = new Image();
        vector.onload = () => { if (large.src === small.src) large.src = vector.src; };
        vector.src = small.src.replace(/png$/, "svg");
      }
    }
    if (event.target === dialog) dialog.close();
  });
})();
