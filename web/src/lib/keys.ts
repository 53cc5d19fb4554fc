// The keys of every list: j and k (or the arrows) move, Enter opens, Esc closes.

export interface ListActions {
  next(): void;
  previous(): void;
  open(): void;
  close(): void;
}

const KEYS: Record<string, keyof ListActions> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Enter: 'open',
  Escape: 'close',
};

/** Elements whose own use of the keys comes first. */
const OWN_KEYS = 'input, textarea, select, button, a, summary, [role=application], [role=dialog]';

export function listKeys(actions: ListActions): (e: KeyboardEvent) => void {
  return (e) => {
    const action = KEYS[e.key];
    if (!action || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    const target = e.target as HTMLElement;
    const typing = target.matches('input, textarea, select');
    if (typing || (action !== 'close' && e.key.length > 1 && target.closest(OWN_KEYS))) return;
    e.preventDefault();
    actions[action]();
  };
}
