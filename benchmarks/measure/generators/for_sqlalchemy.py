"""SQLAlchemy: what importing all of Core and the ORM generates, and mapped classes of every style."""

from __future__ import annotations

import importlib
import pkgutil


def generate(folder):
    import sqlalchemy

    for found in pkgutil.walk_packages(sqlalchemy.__path__, "sqlalchemy."):
        if ".testing" not in found.name and ".mypy" not in found.name:
            try:
                importlib.import_module(found.name)
            except Exception:
                pass  # a driver that is not installed
    from sqlalchemy import Column, ForeignKey, Integer, String, create_engine, event, func, select
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.ext.hybrid import hybrid_property
    from sqlalchemy.orm import Session, aliased, composite, declarative_base, relationship, validates

    Base = declarative_base()

    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

        def __composite_values__(self):
            return self.x, self.y

    class Parent(Base):
        __tablename__ = "parent"
        id = Column(Integer, primary_key=True)
        x = Column(Integer)
        y = Column(Integer)
        kind = Column(String(9))
        point = composite(Point, x, y)
        children = relationship("Child", back_populates="parent", lazy="selectin")
        __mapper_args__ = {"polymorphic_on": kind, "polymorphic_identity": "p"}

        @hybrid_property
        def both(self):
            return self.x + self.y

        @validates("x", "y")
        def check(self, key, value):
            return value

    class Special(Parent):
        __mapper_args__ = {"polymorphic_identity": "s"}

    class Child(Base):
        __tablename__ = "child"
        id = Column(Integer, primary_key=True)
        parent_id = Column(ForeignKey("parent.id"))
        parent = relationship("Parent", back_populates="children")

        def __init__(self, parent, *rest, id=None, **options):
            self.parent, self.id = parent, id

    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)

    @event.listens_for(engine, "before_cursor_execute", retval=True)
    def before(connection, cursor, statement, parameters, context, many):
        return statement, parameters

    with Session(engine) as session:
        session.add_all([Child(Parent(x=1, y=2, kind="p")), Child(Special(x=3, y=4, kind="s"), id=9)])
        session.commit()
        other = aliased(Parent)
        statement = select(Parent, func.count(Child.id)).join(Parent.children).where(other.both > 1).group_by(Parent.id)
        session.execute(statement).all()
        session.query(Parent).filter(Parent.point == Point(1, 2)).all()
    try:
        from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column
    except ImportError:
        return  # 1.4

    class Newer(MappedAsDataclass, DeclarativeBase):
        pass

    def annotated(**columns):
        return {name: kind for name, kind in columns.items()}

    for options in ({}, {"kw_only": True}, {"unsafe_hash": True, "order": True}, {"repr": False, "eq": False}):
        body = {
            "__tablename__": f"newer{len(Newer.metadata.tables)}",
            "__annotations__": annotated(id=Mapped[int], name=Mapped[str]),
            "__module__": __name__,
            "id": mapped_column(primary_key=True, init=False),
            "name": mapped_column(default="n"),
        }
        try:
            type(Newer)("Made", (Newer,), body, **options)
        except sqlalchemy.exc.InvalidRequestError:
            pass  # an option that the dataclasses of this Python do not have
    AsyncSession(None)
