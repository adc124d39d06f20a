//! The paging of a call, beside its arguments.

use sortkey_design::Program;
use sortkey_design::program::Callee;

use crate::{Call, Failure};

/// How much of a list is wanted, and from where.
#[derive(Clone, Copy, Default)]
pub(crate) struct Paging<'a> {
    pub(crate) cursor: Option<&'a str>,
    pub(crate) limit: Option<u32>,
    /// The context of a cursor beside the caller and the parameters; a page without it has no cursor.
    pub(crate) context: Option<&'a str>,
    /// Whether a list is read to its end, as inside an operation.
    pub(crate) to_the_end: bool,
}

impl<'a> Paging<'a> {
    /// The paging that a call asks for. One that its callee cannot have is refused, since it would be ignored.
    pub(crate) fn of_call(
        program: &'a Program,
        callee: Callee,
        call: &Call<'a>,
    ) -> Result<Paging<'a>, Failure> {
        let name = program.name(callee);
        let (page, most) = match callee {
            Callee::Pattern(id) if program.patterns[id].is_list() => {
                let pattern = &program.patterns[id];
                (pattern.page, pattern.page.or(pattern.limit))
            }
            _ => (None, None),
        };
        if call.cursor.is_some() && page.is_none() {
            return Err(Failure::invalid(
                "cursor",
                format!("`{name}` has no pages, so it takes no `cursor`"),
            ));
        }
        match (call.limit, most) {
            (Some(0), Some(_)) => {
                Err(Failure::invalid("limit", "`limit` is 0; a limit is a whole number above zero"))
            }
            (Some(limit), Some(most)) if u64::from(limit) > most => {
                let why = format!("`limit` is {limit}; a page of `{name}` has at most {most} items");
                Err(Failure::invalid("limit", why))
            }
            (Some(_), None) => {
                Err(Failure::invalid("limit", format!("`{name}` has no pages, so it takes no `limit`")))
            }
            (limit, _) => Ok(Paging { cursor: call.cursor, limit, context: Some(name), to_the_end: false }),
        }
    }
}
