//! Ids: which table, entity or attribute is meant, as a type of its own for each.
//!
//! An id is a place in an [`Arena`]. Names are compared while a program is made; afterwards only ids are.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A place in an arena.
pub trait Id: Copy + Eq {
    /// The id of a place.
    fn new(at: usize) -> Self;
    /// The place.
    fn at(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Id for $name {
            fn new(at: usize) -> $name {
                $name(u32::try_from(at).unwrap_or(u32::MAX))
            }

            fn at(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )+ };
}

ids! {
    /// A table of the program.
    TableId
    /// An index of a table.
    IndexId
    /// An entity of the program.
    EntityId
    /// An attribute of an entity, of an object or of the caller.
    AttributeId
    /// A template of an entity.
    TemplateId
    /// A unique clause of an entity.
    UniqueId
    /// A declared enum.
    EnumId
    /// A record, or an object type written in place.
    ObjectId
    /// A deployment parameter of the design.
    SettingId
    /// A rule.
    RuleId
    /// A pattern.
    PatternId
    /// An operation.
    OperationId
    /// An effect.
    EffectId
    /// A worker.
    WorkerId
    /// A route.
    RouteId
    /// A way to recognise callers.
    SessionId
    /// A parameter of a pattern, an operation or a rule.
    ParameterId
    /// A parameter, a `let` or an element of `each`, within one body.
    LocalId
    /// An error that a design declares or handles.
    ErrorId
}

/// A list whose places are ids of one kind.
#[derive(Clone, PartialEq)]
pub struct Arena<I, T> {
    all: Vec<T>,
    id: PhantomData<fn() -> I>,
}

impl<I: Id, T> Arena<I, T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds one, and gives its id.
    pub fn push(&mut self, each: T) -> I {
        self.all.push(each);
        I::new(self.all.len() - 1)
    }

    /// The one with an id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.all.get(id.at())
    }

    /// All of them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.all.iter()
    }

    /// All of them with their ids, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.all.iter().enumerate().map(|(at, each)| (I::new(at), each))
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.all.len()).map(I::new)
    }
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Arena<I, T> {
        Arena { all: Vec::new(), id: PhantomData }
    }
}

impl<I, T> From<Vec<T>> for Arena<I, T> {
    fn from(all: Vec<T>) -> Arena<I, T> {
        Arena { all, id: PhantomData }
    }
}

impl<I, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(all: A) -> Arena<I, T> {
        Arena { all: all.into_iter().collect(), id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.all[id.at()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.all[id.at()]
    }
}

impl<'a, I: Id, T> IntoIterator for &'a Arena<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}
