for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = (id) => document.getElementById(id).value.trim();
    const headers = { "content-type": "application/json" };
    if (value("caller")) headers["sortkey-caller"] = value("caller");
    if (value("key")) headers["authorization"] = "Bearer " + value("key");
    const output = form.querySelector("output");
    const body = form.querySelector("textarea").value;
    try {
      const answer = await fetch(form.dataset.path, { method: "POST", headers, body });
      const text = await answer.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* it is shown as it came */ }
      output.textContent = answer.status + " " + answer.statusText + "\n" + shown;
    } catch (error) {
      output.textContent = String(error);
    }
  });
}
