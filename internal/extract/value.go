package extract

import "strings"

// The words of trackers, in the languages that they are translated to, for our own.
var statuses = words(map[string]string{
	"TODO": "todo, to do, open, opened, new, backlog, reopened, created, selected for development, ready, planned, triage, unstarted, unscheduled, accepted, icebox, not started, inbox, upcoming, next, later, todos, proposed, unconfirmed, submitted, draft, pending, not yet started, queued, prioritized," +
		" zu erledigen, offen, neu, ausgewählt für entwicklung, erneut geöffnet, bereit, geplant," +
		" à faire, ouvert, ouverte, nouveau, rouvert, sélectionné pour le développement, prêt," +
		" por hacer, tareas por hacer, pendiente, abierto, abierta, nuevo, nueva, reabierto, reabierta, seleccionado para desarrollo," +
		" do zrobienia, otwarte, otwarty, nowe, nowy, ponownie otwarte, wybrane do rozwoju, zaplanowane," + //nolint:misspell // other languages
		" a fazer, tarefas pendentes, pendente, aberto, aberta, novo, itens pendentes, reaberto," +
		" da fare, da completare, aperto, aperta, nuovo, da iniziare, te doen, nog te doen, nieuw, heropend," +
		" сделать, к выполнению, открыто, открыт, новый, новая, бэклог, переоткрыт," +
		" 未着手, 未対応, 作業前, オープン, 新規, 再オープン, やること, 待办, 待处理, 打开, 开放, 新建, 未开始, 重新打开",
	"IN_PROGRESS": "in_progress, in progress, inprogress, in development, started, doing, working, active, implementing, ongoing, wip, in dev, under way, indeterminate, working on it, assigned, committed," +
		" in arbeit, in bearbeitung, in entwicklung, wird bearbeitet, laufend, begonnen," +
		" en cours, en développement, en cours de traitement, en curso, en progreso, en proceso, en desarrollo," +
		" w toku, w trakcie, w realizacji, w trakcie realizacji, em andamento, em progresso, em curso, em desenvolvimento," + //nolint:misspell // other languages
		" in corso, in lavorazione, in sviluppo, bezig, in uitvoering, wordt uitgevoerd, in behandeling," +
		" в работе, в процессе, в разработке," +
		" 進行中, 作業中, 対応中, 処理中, 进行中, 处理中, 开发中, 正在进行",
	"REVIEW": "review, in review, patch available, code review, in testing, testing, qa, ready for review, reviewable, pending review, in qa, under review, ready for qa, verify, needs review, waiting for review, to verify, ready to test, ready for test, in staging, in test, uat, acceptance, feedback," +
		" in prüfung, in überprüfung, zu prüfen, im test, im review, en revue, en révision, en test, à vérifier, en revisión, en pruebas," +
		" w recenzji, w przeglądzie, do sprawdzenia, w testach, testy, em revisão, em teste, em análise, in revisione, in verifica, in test, in beoordeling, ter review," +
		" на проверке, на ревью, тестирование, в тестировании," +
		" レビュー中, レビュー, 確認中, テスト中, 评审中, 审核中, 测试中, 待审核",
	"DONE": "done, resolved, closed, released, fixed, complete, completed, merged, verified, shipped, finished, deployed, live, delivered," +
		" fertig, erledigt, geschlossen, gelöst, abgeschlossen, behoben, terminé, terminée, fermé, fermée, résolu, résolue, fini, clos," +
		" hecho, hecha, listo, finalizado, finalizada, finalizar, cerrado, cerrada, resuelto, resuelta, terminado, completado," +
		" gotowe, gotowy, zrobione, zakończone, zakończony, zamknięte, zamknięty, rozwiązane, rozwiązany, ukończone," +
		" concluído, concluída, itens concluídos, feito, pronto, fechado, fechada, resolvido, resolvida," +
		" completato, completata, completati, fatto, chiuso, chiusa, risolto, risolta, finito, gereed, klaar, gesloten, opgelost, voltooid, afgerond," +
		" готово, выполнено, закрыт, закрыто, решен, решён, завершено," +
		" 完了, 完了済み, 解決済み, クローズ, 終了, 完成, 已完成, 已解决, 已关闭, 关闭, 结束",
	"BLOCKED": "blocked, on hold, waiting, impeded, paused, stuck, waiting for customer, waiting for support," +
		" blockiert, wartend, angehalten, zurückgestellt, bloqué, bloquée, en attente, bloqueado, bloqueada, en espera, zablokowane, zablokowany, wstrzymane, oczekuje," +
		" impedido, em espera, bloccato, bloccata, in attesa, in sospeso, geblokkeerd, in de wacht, ブロック, ブロック中, 保留, 保留中, 阻塞, 已阻塞, 挂起, 暂停",
})

var priorities = words(map[string]string{
	"CRITICAL": "critical, highest, blocker, urgent, p0, 1, sev1, s1, 1 - urgent, immediate, am höchsten, höchste, kritisch, dringend, sehr hoch," +
		" la plus élevée, critique, urgente, très haute, bloquant, más alta, crítica, crítico, muy alta, najwyższy, krytyczny, pilny, blokujący, mais alta, muito alta," +
		" critica, critico, massima, altissima, hoogste, kritiek, dringend, критический, блокирующий, наивысший, 最高, 緊急, 最優先, 紧急, 致命",
	"HIGH":   "high, major, important, p1, 2, sev2, s2, 2 - high, hoch, wichtig, élevée, élevé, haute, haut, majeure, majeur, alta, alto, mayor, wysoki, wysoka, ważny, hoog, высокий, 高, 高い, 严重, 重要",
	"MEDIUM": "medium, normal, p2, 3, 3 - medium, moderate, none, no priority, undefined, unknown, unspecified, not set, 0, s3, mittel, moyenne, moyen, normale, media, medio, średni, średnia, normalny, média, médio, normaal, gemiddeld, средний, обычный, 中, 普通, 中等, 一般",
	"LOW": "low, lowest, minor, trivial, enhancement, p3, p4, p5, s4, 4, 5, 4 - low, optional, niedrig, gering, am niedrigsten, niedrigste, unwesentlich, basse, bas, faible, mineure, mineur, la plus basse," +
		" baja, bajo, menor, más baja, trywialny, niski, niska, najniższy, drobny, baixa, baixo, mais baixa, bassa, basso, minore, bassissima, minima, laag, laagste, низкий, наименьший, 低, 最低, 低い, 次要, 轻微",
})

var types = words(map[string]string{
	"INITIATIVE": "initiative, theme, initiativ, iniciativa, inicjatywa, iniziativa, initiatief, イニシアチブ, 计划",
	"EPIC":       "epic, épopée, épica, epik, épico, epos, эпик, エピック, 史诗, 长篇故事",
	"STORY": "story, user story, issue, historia, historyjka, história, storia, récit, verhaal, история, ストーリー, 故事," +
		" improvement, new feature, feature, wish, enhancement, change, feature request, service request, product backlog item, pbi, requirement," +
		" verbesserung, neue funktion, amélioration, nouvelle fonctionnalité, mejora, nueva función, wymaganie, ulepszenie, usprawnienie, nowa funkcja, melhoria, miglioramento, nuova funzione, verbetering," +
		" улучшение, новая функция, 改善, 新機能, 改进, 新功能",
	"BUG": "bug, defect, error, fault, fehler, bogue, anomalie, błąd, błąd w programie, erro, defeito, difetto, fout, ошибка, баг, バグ, 缺陷, 故障, incident, problem, vorfall",
	"TASK": "task, aufgabe, tâche, tarea, zadanie, tarefa, attività, taak, задача, タスク, 任务," +
		" technical task, chore, maintenance, documentation, test, spike, research, question, support",
	"SUBTASK": "subtask, sub-task, sub task, sub-taak, sub-bug, sub-issue, unteraufgabe, teilaufgabe, sous-tâche, subtarea, podzadanie, subtarefa, sottoattività, sottotask, subtaak, подзадача, サブタスク, 子タスク, 子任务",
})

// sayMore are words of types that say more than the type that they are read as.
var sayMore = list("theme, improvement, new feature, feature, wish, enhancement, change, feature request, service request, requirement, incident, problem, technical task, chore, maintenance, documentation, test, spike, research, question, support, sub-bug," +
	" verbesserung, neue funktion, vorfall, amélioration, nouvelle fonctionnalité, mejora, nueva función, wymaganie, ulepszenie, usprawnienie, nowa funkcja, melhoria, miglioramento, nuova funzione, verbetering, улучшение, новая функция, 改善, 新機能, 改进, 新功能")

// extremes are words of priorities that say more than the priority that they are read as: trackers have "Critical" and "Minor" beside them.
var extremes = list("blocker, showstopper, immediate, trivial, lowest, enhancement, bloquant, blokujący, trywialny, блокирующий")

// outcomes are how something ends that is never done, as a status or a resolution says it.
var outcomes = words(map[string]string{
	"WONT_FIX": "won't fix, wontfix, won’t fix, wont fix, won't do, won’t do, wont do, will not fix, will not do, not_planned, not planned, not fixing, won't implement, won’t implement, wont implement, will not implement, out of scope," +
		" wird nicht behoben, wird nicht erledigt, wird nicht bearbeitet, wird nicht umgesetzt, wird nicht gemacht, außerhalb des umfangs, nicht im umfang, ne sera pas corrigé, ne sera pas fait, no se corregirá, no se hará, nie zostanie naprawione, nie będzie zrobione," +
		" não será corrigido, não será feito, non verrà corretto, non verrà eseguito, wordt niet opgelost, wordt niet gedaan, не будет исправлено, не будет выполнено, 修正しない, 対応しない, 不修复, 不予处理",
	"CANCELED": "cancelled, canceled, cut, abandoned, dropped, discarded, withdrawn, abgebrochen, storniert, verworfen, zurückgezogen, annulé, annulée, abandonné, cancelado, cancelada, anulado, anulowane, anulowano, annullato, annullata, geannuleerd," +
		" отменено, отменён, отменен, キャンセル, キャンセル済み, 已取消, 取消",
	"REJECTED": "rejected, declined, invalid, not a bug, cannot reproduce, can't reproduce, unable to reproduce, worksforme, works for me, incomplete, not a problem, by design, as designed, refused, works as designed, working as designed, works as intended, working as intended, not reproducible, not applicable, not an issue, not a defect," +
		" abgelehnt, nicht reproduzierbar, ungültig, funktioniert wie vorgesehen, funktioniert wie entworfen, kein fehler, kein bug, kein problem, nicht zutreffend, nicht anwendbar, rejeté, refusé, rechazado, rechazada, odrzucone, odrzucony, nie można odtworzyć, rejeitado, respinto, rifiutato, afgewezen, отклонено, 却下, 再現不可, 已拒绝, 拒绝, 无法重现",
	"DUPLICATE": "duplicate, duplicated, dup, duplikat, dublette, doublon, duplicado, duplicada, duplicato, dubbel, duplicaat, дубликат, 重複, 重复",
	"REMOVED":   "removed, removed from the backlog, deleted, obsolete, out of date, superseded, entfernt, gelöscht, veraltet, überholt, hinfällig, abgelöst, supprimé, obsolète, eliminado, obsoleto, usunięte, removido, rimosso, verwijderd, удалено, 削除, 已删除",
	"ARCHIVED":  "archived, archiviert, archivé, archivado, zarchiwizowane, arquivado, archiviato, gearchiveerd, в архиве, アーカイブ済み, 已归档",
})

// resolved are outcomes that only a resolution says: as a status or a label the word says that work is put off, or is there no end.
var resolved = words(map[string]string{
	"WONT_FIX": "later, remind, deferred, postponed, on hold, suspended, not now, future, future consideration, backlogged, no action, no action required, no change, no change required, cantfix, can't fix, cannot fix, not fixable, unfixable, not feasible, infeasible, not possible," +
		" später, erinnern, zurückgestellt, aufgeschoben, verschoben, vertagt, keine maßnahme, nicht umsetzbar, nicht lösbar, nicht möglich",
	"CANCELED": "not needed, no longer needed, no longer required, not required, unnecessary, nicht benötigt, nicht mehr benötigt, nicht nötig, nicht notwendig, aufgegeben",
	"REJECTED": "notabug, not our bug, notourbug, no bug, unreproducible, cannot duplicate, unable to duplicate, could not reproduce, insufficient information, insufficient data, insufficient_data, not enough information, needs more information, need more information, missing information," +
		" expected behavior, expected behaviour, intended behavior, intended behaviour, as intended, by intention, user error, third party, third-party, upstream, external, spam, not valid, not relevant, irrelevant, unclear, misconfiguration," +
		" unvollständig, anwenderfehler, benutzerfehler, erwartetes verhalten, zu wenig informationen, unzureichende informationen, nicht relevant, kann nicht reproduziert werden",
	"DUPLICATE": "already exists, already reported, already fixed elsewhere, doppelt, bereits vorhanden, bereits gemeldet, duplikat von",
	"REMOVED":   "moved, migrated, transferred, replaced, overtaken by events, obsoleted, outdated, deprecated, end of life, eol, no longer relevant, no longer applicable, no longer valid, ersetzt, umgezogen, nicht mehr relevant, nicht mehr aktuell",
	"ARCHIVED":  "auto closed, auto-closed, autoclosed, automatically closed, closed automatically, closed by bot, stale, inactive, inactivity, no response, no feedback, timed out, timeout, expired, automatisch geschlossen, keine rückmeldung, keine antwort, inaktiv, abgelaufen",
})

// outcomeOf is how something ended that a resolution or a reason says, empty when it was done or the word is not known.
func outcomeOf(word string) string {
	word = strings.ReplaceAll(strings.ToLower(strings.Trim(word, " .!")), "’", "'")
	for _, w := range []string{word, strings.Join(strings.FieldsFunc(word, func(c rune) bool { return c == '_' || c == '-' || c == ' ' }), " ")} {
		if end := lookedUp(w, outcomes, resolved); end != "" {
			return end
		}
	}
	return ""
}

// plainOutcomes are the words of outcomes that say no more than the outcome.
var plainOutcomes = list("won't fix, wontfix, won’t fix, won't do, won’t do, not_planned, not planned, cancelled, canceled, rejected, declined, duplicate, duplicated, removed, deleted, archived")

// resolutions that say that nothing was resolved, or no more than that it is done, and owners
// that are nobody.
var (
	fixed = list("fixed, done, resolved, complete, completed, closed, implemented, delivered, released, erledigt, fertig, gelöst, behoben, terminé, terminée, résolu, résolue, corrigé, hecho, hecha, listo, lista, resuelto, resuelta, finalizado, finalizada," + //nolint:misspell // other languages
		" gotowe, rozwiązane, naprawione, zrobione, concluído, concluída, feito, itens concluídos, resolvido, resolvida, completato, completata, completati, fatto, risolto, risolta, gereed, opgelost, voltooid, готово, решено, исправлено, выполнено, 完了, 解決済み, 完成, 已完成, 已解决, 已修复") //nolint:misspell // other languages
	unresolved = list("unresolved, reopened, nicht gelöst, unerledigt, non résolue, non résolu, sin resolver, nierozwiązane, não resolvido, irrisolto, onopgelost, нет решения, не решен, 未解決, 未解决")
	nobody     = list("unassigned, none, -, ?, n/a, tbd, tba, tbc, nobody, everyone, everybody, all, team, n.n., alle, offen, nicht zugewiesen, non attribué, non assigné, sin asignar, nieprzypisane, não atribuído, não atribuída, non assegnato, niet toegewezen, не назначен, не назначено, nie przypisano, 未割り当て, 未分配")
)

// nothing are what lists of components and versions say when there is none.
var nothing = list("none, no subsystem, no component, no fix version, not specified, unscheduled, n/a")

func words(in map[string]string) map[string]string {
	out := make(map[string]string)
	for ours, list := range in {
		for _, w := range strings.Split(list, ",") {
			out[strings.TrimSpace(w)] = ours
		}
	}
	return out
}
