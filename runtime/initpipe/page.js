"use strict";
(() => {
	const form = document.getElementById("form");
	const part = (id) => document.getElementById(id);
	const buttons = form.querySelectorAll("button");
	let told = part("alert").textContent.trim(); // what the state last alarmed of
	let running = buttons[0].getAttribute("aria-disabled") === "true";

	// Live regions are touched only when their words change: each change is read out.
	const say = (node, words) => {
		if (node.textContent !== words) {
			node.textContent = words;
		}
	};
	const alarm = (words) => {
		const node = part("alert");
		if (node.textContent === words) {
			return;
		}
		node.replaceChildren();
		if (words) {
			const p = document.createElement("p");
			p.textContent = words;
			node.append(p);
		}
	};
	const show = (v, answer) => {
		if (answer) {
			say(part("notice"), v.notice || "");
		} else if (running && !v.running) {
			say(part("notice"), "");
		}
		say(part("state"), v.status);
		// What a click was answered stays until the state has something new.
		if (answer || v.alert !== told) {
			alarm(v.alert);
		}
		told = answer ? told : v.alert;
		running = v.running;
		for (const b of buttons) {
			b.toggleAttribute("aria-disabled", false);
			if (running) {
				b.setAttribute("aria-disabled", "true");
			}
		}
		if (v.html && part("live").dataset.shown !== v.html) {
			const at = document.activeElement?.getAttribute("aria-labelledby");
			part("live").innerHTML = v.html;
			part("live").dataset.shown = v.html;
			if (at && !document.activeElement?.getAttribute("aria-labelledby")) {
				part("live").querySelector(`[tabindex][aria-labelledby="${at}"]`)?.focus({ preventScroll: true });
			}
		}
	};

	const source = new EventSource(form.dataset.events);
	source.addEventListener("state", (e) => show(JSON.parse(e.data), false));

	// Of clicks that overlap any may win; that one was refused is to be said.
	let open = 0;
	let refused = false;
	form.addEventListener("submit", async (e) => {
		e.preventDefault();
		const body = new URLSearchParams(new FormData(form, e.submitter));
		refused = open++ > 0 && refused;
		try {
			const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
			const v = await answer.json();
			if (!(answer.headers.get("Content-Type") || "").startsWith("application/json")) {
				alarm(v.detail);
				return;
			}
			show(v, v.refused || !refused);
			refused = refused || v.refused;
		} catch (err) {
			alarm(String(err));
		} finally {
			open--;
		}
	});
})();
